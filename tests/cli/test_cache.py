"""`fewaspect cache` shows what is stored and deletes what it is told to, nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.cache import app
from fewaspect.core.errors import ConfigError
from fewaspect.encoders.state_cache import StateCache, list_caches, states_root


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEWASPECT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=answer)


def store(encoder: str, freeze_layers: int, sentences: int) -> StateCache:
    key: dict[str, str | int] = {"weights": encoder, "freeze_layers": freeze_layers}
    cache = StateCache(states_root(), key, encoder=encoder)
    cache.add([f"sentence {i}" for i in range(sentences)], [np.ones((10, 384))] * sentences)
    return cache


def stored() -> set[str]:
    return {info.id for info in list_caches(states_root())}


def test_an_empty_cache_says_so() -> None:
    for arguments in ((), ("clear",)):
        result = run(*arguments)
        assert result.exit_code == 0
        assert str(states_root()) in result.output.replace("\n", "")


def test_the_list_shows_every_cache_and_the_total() -> None:
    caches = [store("minilm", 3, 20), store("models/[bold]mine", 4, 7)]
    result = run()
    assert result.exit_code == 0
    size = {info.id: info.bytes for info in list_caches(states_root())}
    for cache, (name, layers, sentences) in zip(caches, (("minilm", 3, 20), ("models/[bold]mine", 4, 7)), strict=True):
        cells = (cache.folder.name[:8], name, layers, sentences, f"{size[cache.folder.name] / 1000:.1f} kB")
        assert re.search(r"\W+".join(re.escape(str(cell)) for cell in cells), result.output)
    assert re.search(rf"total\W+27\W+{sum(size.values()) / 1000:.1f} kB", result.output)
    assert len(stored()) == 2


def test_clear_deletes_everything_when_confirmed() -> None:
    store("minilm", 3, 2)
    store("minilm", 4, 2)
    assert run("clear", answer="n\n").exit_code == 1
    assert run("clear").exit_code == 1  # nobody there to answer
    assert len(stored()) == 2
    result = run("clear", answer="y\n")
    assert result.exit_code == 0
    assert "Deleted 2 of 2 caches" in result.output
    assert stored() == set()


def test_clear_does_not_ask_when_told_yes_and_leaves_other_files(tmp_path: Path) -> None:
    store("minilm", 3, 2)
    other = states_root() / "notes.txt"
    other.write_text("mine")
    assert run("clear", "--yes").exit_code == 0
    assert list(states_root().iterdir()) == [other]


def test_clear_by_encoder_or_id_deletes_only_that() -> None:
    kept, first, second = store("other", 3, 2), store("minilm", 3, 2), store("minilm", 4, 2)
    assert run("clear", "--id", first.folder.name[:8], "--yes").exit_code == 0
    assert stored() == {kept.folder.name, second.folder.name}
    assert run("clear", "--encoder", "minilm", "--yes").exit_code == 0
    assert stored() == {kept.folder.name}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--encoder", "mini"), r'--encoder: expected one that has stored states \(minilm\), found "mini".'),
        (("--id", "xyz"), r'one id \([0-9a-f]{8}, [0-9a-f]{8}\), found "xyz", which begins 0.'),
        (("--id", ""), 'found "", which begins 0'),
        (("--id", "a", "--encoder", "minilm"), "found both"),
    ],
)
def test_a_choice_that_fits_nothing_deletes_nothing(arguments: tuple[str, ...], message: str) -> None:
    store("minilm", 3, 1)
    store("minilm", 4, 1)
    result = run("clear", "--yes", *arguments)
    assert isinstance(result.exception, ConfigError)
    assert re.search(message, str(result.exception))
    assert len(stored()) == 2


def test_the_command_is_defined_without_numpy_or_torch() -> None:
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}; import fewaspect.cli.cache;"
        "print([name for name in ('numpy', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
