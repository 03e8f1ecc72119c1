"""The site builds without a warning, needs nothing from elsewhere, and has a place for all that is public."""

from __future__ import annotations

import inspect
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import fewaspect
from public_surface import commands

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "tools"))

import reference  # noqa: E402


class Page(HTMLParser):
    """Links, what is loaded, and the places that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attributes}
        self.places |= {own[name] for name in ("id", "name") if name in own}
        if tag == "a" and "href" in own:
            self.links.append(own["href"])
        elif tag != "a":
            self.loaded += [own[name] for name in ("src", "href", "srcset", "data") if name in own]


def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_page_of_the_docs_is_in_the_site(site: Path) -> None:
    assert (site / "index.html").is_file()
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix("")
        own = name.parent if name.name in ("index", "README") else name
        assert (site / own / "index.html").is_file(), page


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for path, page in pages(site).items():
        assert not [what for what in page.loaded if re.match("(https?:)?//", what)], path
    for style in site.rglob("*.css"):
        assert not re.findall(r"url\(\W?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style


def test_every_picture_style_and_script_is_there(site: Path) -> None:
    for path, page in pages(site).items():
        if path.name != "404.html":
            parts = [urlsplit(what).path for what in page.loaded if not what.startswith("data:")]
            assert not [part for part in parts if part and not (path.parent / unquote(part)).exists()], path


def test_every_picture_of_a_page_names_the_command_that_makes_it() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        if page.parent.name != "results":
            for picture in re.findall(r"^!\[.*\)$\n?.*", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
                assert "`make pictures`" in picture, (page, picture)


def test_links_within_the_site_lead_to_a_page_and_a_place_of_it(site: Path) -> None:
    found = pages(site)
    lost = []
    for path, page in found.items():
        if path.name == "404.html":
            continue  # with links from the root
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in found[target].places):
                lost.append((path.relative_to(site).as_posix(), link))
    assert not lost


def test_equations_are_set_without_a_script(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "arithmatex" not in text, path
        assert "katex" not in text.lower(), path


def test_no_line_ends_within_an_interval(site: Path) -> None:
    text = (site / "results" / "tables" / "index.html").read_text(encoding="utf-8")
    assert "\u00a0±\u00a0" in text
    assert " ± " not in text


def test_no_comment_for_the_build_is_left(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert not re.findall(r"<!-- (?:generated|runs?|not run)|<!--[=/]", path.read_text(encoding="utf-8")), path


def test_every_public_name_has_a_place_in_the_reference(site: Path) -> None:
    places = Page((site / "reference" / "python" / "index.html").read_text(encoding="utf-8")).places
    assert not [name for name in public_names() if name not in places]


def public_names() -> set[str]:
    """Classes and functions of the package, with what can be asked of them."""
    names = set()
    for name in fewaspect.__all__:
        one = getattr(fewaspect, name)
        if inspect.isclass(one) and not issubclass(one, Exception):
            place = f"{one.__module__}.{one.__qualname__}"
            own = (part for base in one.__mro__ if base.__module__.startswith("fewaspect") for part in vars(base))
            names |= {place, *(f"{place}.{part}" for part in own if not part.startswith("_"))}
    return names


def test_every_type_that_a_public_member_takes_or_gives_has_a_place_in_the_reference(site: Path) -> None:
    places = Page((site / "reference" / "python" / "index.html").read_text(encoding="utf-8")).places
    types = reference.public_types()
    returned = {"AspectSentiment", "Examples", "PolarityCorrection", "Promise", "Settling", "TextPredictions"}
    assert returned <= {place.rpartition(".")[2] for place in types}
    assert not [place for place in types if place not in places]


def sections_of_commands(site: Path) -> dict[str, str]:
    """The text of each section of the page, by the place that its heading is."""
    page = (site / "reference" / "commands" / "index.html").read_text(encoding="utf-8")
    _, *parts = re.split(r'<h2 id="([\w-]+)"', page)
    return {place: unescape(re.sub("<[^>]+>", "", text)) for place, text in zip(parts[::2], parts[1::2], strict=True)}


def test_every_command_argument_and_option_stands_in_the_section_of_its_command(site: Path) -> None:
    sections = sections_of_commands(site)
    found = reference.all_commands()
    assert found.keys() == {" ".join(["fewaspect", *name.split()]) for name in commands()}
    for name, command in found.items():
        for one in command.params:
            argument = one.param_type_name == "argument"
            typed = [(one.metavar or one.name).upper()] if argument else [*one.opts, *one.secondary_opts]
            text = sections[name.replace(" ", "-")]
            assert not [w for w in typed if not re.search(rf"(?<![\w-]){re.escape(w)}(?![\w-])", text)], (name, typed)


def test_every_row_of_a_generated_table_has_the_cells_of_its_head() -> None:
    for text in (reference.commands(), reference.rest()):
        for table in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
            bars = {len(re.findall(r"(?<!\\)\|", re.sub("`[^`]*`", "", row))) for row in table.splitlines()}
            assert len(bars) == 1, table


def test_no_backslash_stands_before_a_bar(site: Path) -> None:
    for path in (site / "reference").rglob("*.html"):
        assert "\\|" not in path.read_text(encoding="utf-8"), path


def test_a_copied_block_has_no_prompts(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<span class="gp"[^>]*>([^<]*)</span>', text) == [""] * 4


def test_the_reference_leaves_out_what_the_signature_says_alone(site: Path) -> None:
    places = Page((site / "reference" / "python" / "index.html").read_text(encoding="utf-8")).places
    assert f"{reference.DETECTOR}.classes_" in places
    assert f"{reference.DETECTOR}.batch_tokens" not in places


def test_every_environment_variable_that_is_read_has_a_line_in_the_reference(site: Path) -> None:
    text = sections_of_commands(site)["environment-variables"]
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    read = set(re.findall(r'"(FEWASPECT_[A-Z]+|HF_[A-Z_]+|TRANSFORMERS_[A-Z]+)"', code))
    read |= set(re.findall(r'environ\.get\("(\w+)"', code)) - {"WORLD_SIZE"}  # set by torchrun
    assert {"FEWASPECT_OFFLINE", "OMP_NUM_THREADS"} <= read
    assert not [name for name in read if name not in text]


def test_every_path_of_the_api_has_a_place_in_the_reference(site: Path) -> None:
    text = re.sub("<[^>]+>", "", (site / "reference" / "rest" / "index.html").read_text(encoding="utf-8"))
    for path, operations in reference.openapi()["paths"].items():
        for method in operations:
            assert f"{method.upper()} {path}" in text


def test_every_error_and_warning_has_a_place_in_the_reference(site: Path) -> None:
    places = Page((site / "reference" / "errors" / "index.html").read_text(encoding="utf-8")).places
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = {one.lower() for one in re.findall(r"^class ([A-Z]\w+(?:Error|Warning))\(", code, flags=re.MULTILINE)}
    inner = {"refusederror", "missingstateserror"}  # an answer of the API by its status; a state that is computed then
    assert {"fewaspecterror", "notfounderror", "polarityerror", "examplewarning"} <= named
    assert named - places == inner
