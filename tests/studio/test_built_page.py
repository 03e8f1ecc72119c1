import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
FRONTEND, PAGE = ROOT / "frontend", ROOT / "src/fewaspect/studio/page"
BUILT_FROM = ("index.html", "package-lock.json", "public", "src", "tsconfig.json", "vite.config.ts")


def test_the_built_page_belongs_to_the_sources_of_the_page():
    written = json.loads((PAGE / "sources.json").read_text())
    sources = (path for name in BUILT_FROM for path in (FRONTEND / name, *(FRONTEND / name).rglob("*")))
    built = (path for path in PAGE.rglob("*") if path.name != "sources.json")
    assert written == {"sources": digest(FRONTEND, sources), "page": digest(PAGE, built)}, "run: npm run build"


def test_the_page_asks_nothing_of_other_hosts():
    for path in PAGE.rglob("*.*"):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "http://" not in text, path.name
        assert "https://" not in text, path.name


def test_the_page_has_no_inline_script_or_style():
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    assert "<style" not in page
    assert "style=" not in page
    assert page.count("<script") == page.count("src=") == 1


def digest(root: Path, paths: Iterable[Path]) -> str:
    """As frontend/scripts/sources.mjs computes it."""
    texts = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.is_file()}
    found = sha256()
    for name in sorted(texts):
        found.update(name.encode() + b"\0" + texts[name].replace(b"\r\n", b"\n") + b"\0")
    return found.hexdigest()
