"""Every block of code of every page runs, or says why it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from page_blocks import DATA, PAGES, ROOT, RUN, SHOWN, blocks
from page_files import write_files

ELSEWHERE = ROOT / "docs" / "how-to" / "detect.md"  # run by tests/cli/test_detect_page.py
NOT_RUN = {  # by page, for what reason
    "CONTRIBUTING.md": ["is what runs this"],
    "docs/explanation/shipped-model.md": ["needs hours"],
    "docs/how-to/bulk.md": ["needs a cluster"] * 2,
    "docs/how-to/gpu.md": ["needs GPUs"] * 2,
    "docs/how-to/training.md": ["needs GPUs", "needs several machines", "needs GPUs"],
    "docs/reference/benchmark.md": ["needs a cluster"],
    "docs/reference/data.md": ["needs a file that is not to be had"],
}


def test_every_block_that_is_not_run_is_listed_here() -> None:
    found = {
        page.relative_to(ROOT).as_posix(): reasons
        for page in PAGES
        if (reasons := [block.reason for block in blocks(page) if block.reason])
    }
    assert found == NOT_RUN


def test_every_committed_page_with_a_block_is_run_or_listed_here() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("what is committed is known in a clone alone")
    committed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    found = {name for name in committed.stdout.splitlines() if "```" in (ROOT / name).read_text(encoding="utf-8")}
    others = {name for name in found - {page.relative_to(ROOT).as_posix() for page in PAGES} if not written(name)}
    assert others == {"src/fewaspect/detector/templates/model_card.md"}  # run by tests/detector/test_persistence.py


def written(name: str) -> bool:
    """By an earlier version, which a test reads."""
    return name.startswith("tests/fixtures/")


def test_every_block_is_of_a_kind_that_is_run_or_only_shown() -> None:
    for page in PAGES:
        for block in blocks(page):
            assert block.language in RUN | DATA | SHOWN, (page, block.line)
            if block.language == "console":
                assert block.commands, (page, block.line)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != ELSEWHERE and any(block.language in RUN for block in blocks(page))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)  # fmt: skip
def test_the_blocks_of_a_page_run_and_give_what_it_says(
    page: Path, tmp_path: Path, encoder_folder: Callable[..., Path]
) -> None:
    data = Path(os.environ.get("FEWASPECT_DATA", ROOT.parent / "shared" / "data"))
    if not data.is_dir() and any("FOLDER" in block.text for block in blocks(page) if not block.reason):
        pytest.skip("the FewAsp files are not here (set FEWASPECT_DATA)")
    write_files(tmp_path)
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "run_page.py"), str(page)], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "FEWASPECT_DATA": str(data), "TINY_ENCODER": str(encoder_folder("bert"))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
