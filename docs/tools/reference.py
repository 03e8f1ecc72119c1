"""Commands, REST paths and errors as Markdown, read off the program itself."""

from __future__ import annotations

import ast
import enum
import inspect
import re
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2] / "src" / "fewaspect"
DETECTOR = "fewaspect.detector.detector.AspectDetector"
OPAQUE = {"fewaspect.detector.model.InferenceModel"}  # handed over; what it is made of is nobody's concern
ALIASES = {  # of types that a signature shows as they are, and a base class whose members are the detector's
    "fewaspect.detector.explain.Threshold", "fewaspect.detector.predictor.Predictor",
    "fewaspect.detector.sentiment.own_polarities.Reading",
}  # fmt: skip
METHODS = ("get", "post", "put", "patch", "delete")
RESEARCH = (
    "fewaspect.data.benchmarks.load_benchmark",
    "fewaspect.data.episodes.EpisodeSampler",
    "fewaspect.methods.base.Method",
    "fewaspect.training.export.export",
    "fewaspect.training.export.load_torch_model",
    "fewaspect.experiments.results_file.read_results",
)
EVERYWHERE = {"400", "401", "403", "413", "415", "422", "429"}  # what any request may be refused with


def all_commands() -> dict[str, Any]:
    """Every command and every group of them by what is typed: "fewaspect data", "fewaspect data check"."""
    import typer

    from fewaspect.cli.app import app

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield name, command
        for part, own in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {part}", own)

    return dict(walk("fewaspect", typer.main.get_command(app)))


def commands() -> str:
    """A section for each command, a line for each argument and option."""
    return "\n".join(_command(name, command) for name, command in all_commands().items())


def _command(name: str, command: Any) -> str:
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    options = [one for one in command.params if one.opts[0].startswith("-") and not getattr(one, "hidden", False)]
    inner = getattr(command, "commands", {})
    words = [name, *(_argument(one) for one in arguments), "[OPTIONS]" * bool(options), "COMMAND" * bool(inner)]
    usage = " ".join(word for word in words if word)
    parts = [f"## {name}\n", inspect.cleandoc(command.help or ""), f"\n```text\n{usage}\n```\n"]
    if arguments:
        rows = [f"| `{_argument(one)}` | {_cell(one.help)} |" for one in arguments]
        parts += ["| argument | |", "|---|---|", *rows, ""]
    if inner:
        parts += [", ".join(f"[`{one}`](#{f'{name} {one}'.replace(' ', '-')})" for one in inner), ""]
    for panel in dict.fromkeys(getattr(one, "rich_help_panel", None) for one in options):
        rows = [_option(one) for one in options if getattr(one, "rich_help_panel", None) == panel]
        parts += [f"**{panel}**\n" if panel else "", "| option | | default |", "|---|---|---|", *rows, ""]
    return "\n".join(parts)


def _argument(one: Any) -> str:
    name = (one.metavar or one.name).upper()
    return f"{name}..." if one.nargs == -1 else name


def _option(one: Any) -> str:
    flags = ", ".join([*one.opts, *one.secondary_opts])
    value = "" if getattr(one, "is_flag", False) else f" {one.metavar or _kind(one)}"
    variable = f" Also the environment variable `{one.envvar}`." if one.envvar else ""
    again = " May be repeated." if one.multiple else ""
    needed = "required" if one.required else _default(one)
    return f"| `{flags}{value}` | {_cell(one.help)}{again}{variable} | {needed} |"


def _kind(one: Any) -> str:
    kind = one.type_descriptor.annotation
    if inspect.isclass(kind) and issubclass(kind, enum.Enum):
        return "|".join(str(choice.value) for choice in kind)
    return {int: "N", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _default(one: Any) -> str:
    shown = one.show_default if isinstance(one.show_default, str) else one.default
    if isinstance(shown, enum.Enum):
        shown = shown.value
    if shown in (None, "", [], ()) or isinstance(shown, bool) or callable(shown):
        return ""
    return f"`{shown}`"


def _cell(text: str | None) -> str:
    """Of a table: a bar ends it but within code, where Markdown would show the backslash."""
    parts = re.split("(`[^`]*`)", " ".join((text or "").split()))
    return "".join(part if part.startswith("`") else part.replace("|", "\\|") for part in parts)


def openapi() -> dict[str, Any]:
    """The description that the studio serves itself."""
    from fewaspect.studio.studio import Studio
    from fewaspect.studio.web_app import make_app

    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(str(Path(folder) / "studio.db"))
        try:
            return make_app(studio, sample=False).openapi()
        finally:
            studio.close()


def rest() -> str:
    """A section for each path and method, then one for each object that travels."""
    description = openapi()
    paths = [
        _operation(description, f"{method.upper()} {path}", operations[method])
        for path, operations in description["paths"].items()
        for method in METHODS
        if method in operations
    ]
    objects = [_object(name, schema) for name, schema in sorted(description["components"]["schemas"].items())]
    return "\n".join(["## Paths\n", *paths, "## Objects\n", *objects])


def _operation(description: dict[str, Any], title: str, operation: dict[str, Any]) -> str:
    text = operation.get("description") or operation.get("summary", "")
    rows = [
        f"| `{one['name']}` | {one['in']} | {_schema(one.get('schema', {}))} | {_cell(_described(one))} |"
        for one in operation.get("parameters", ())
    ]
    for name, schema, needed in _fields(description, operation.get("requestBody", {})):
        remark = "" if needed else " Optional."
        rows.append(f"| `{name}` | body | {_schema(schema)} | {_cell(schema.get('description'))}{remark} |")
    table = ["| name | in | kind | |", "|---|---|---|---|", *rows, ""] if rows else []
    answers = [_answer(code, one) for code, one in operation["responses"].items() if code not in EVERYWHERE]
    return "\n".join([f"### {title}\n", text, "", *table, f"Answers: {', '.join(answers)}.\n"])


def _object(name: str, schema: dict[str, Any]) -> str:
    if choices := schema.get("enum"):
        return f"### {name}\n\nOne of {', '.join(f'`{choice}`' for choice in choices)}.\n"
    rows = [
        f"| `{field}` | {_schema(own)} | {_cell(own.get('description'))} |"
        for field, own in schema.get("properties", {}).items()
    ]
    table = ["| field | kind | |", "|---|---|---|", *rows] if rows else []
    return "\n".join([f"### {name}\n", schema.get("description", ""), "", *table, ""])


def _described(parameter: dict[str, Any]) -> str:
    return parameter.get("description") or parameter.get("schema", {}).get("description", "")


def _answer(code: str, response: dict[str, Any]) -> str:
    """ "200 `Project`", or the type of a file."""
    kinds = [
        _schema(content["schema"]) if kind == "application/json" and content.get("schema") else f"`{kind}`"
        for kind, content in response.get("content", {}).items()
        if kind != "application/problem+json"
    ]
    return f"{code} {' or '.join(kinds) or response.get('description', '').rstrip('.')}"


def _fields(description: dict[str, Any], body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], bool]]:
    for content in body.get("content", {}).values():
        schema = _resolved(description, content.get("schema", {}))
        for name, own in schema.get("properties", {}).items():
            yield name, own, name in schema.get("required", ())


def _resolved(description: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        return description["components"]["schemas"][reference.rpartition("/")[2]]
    return schema


def _schema(schema: dict[str, Any]) -> str:
    """The kind of a value in a word or two."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[`{name}`](#{name.lower()})"
    if choices := schema.get("enum"):
        return ", ".join(f"`{choice}`" for choice in choices)
    if some := schema.get("anyOf"):
        return " or ".join(_schema(one) for one in some)
    if schema.get("type") == "array":
        return f"list of {_schema(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def errors() -> str:
    """A section for each error: what it says, and what else it may be caught as."""
    return _sections(inherited("fewaspect.core.errors.FewAspectError"))


def studio_errors() -> str:
    """The same of those that the studio alone raises, with the status of the answer."""
    from fewaspect.studio.api.problem_details import STATUS

    statuses = {one.__name__: status for one, status in STATUS.items()}
    found = inherited("fewaspect.core.errors.FewAspectError", studio=True)
    return _sections(found, lambda name: f" Status {statuses.get(name, 422)}.")


def warnings() -> str:
    return _sections(inherited("UserWarning"))


def _sections(found: dict[str, Any], more: Callable[[str], str] = lambda name: "") -> str:
    parts = []
    for name, one in found.items():
        bases = " and ".join(f"`{str(base).rpartition('.')[2]}`" for base in one.bases)
        text = one.docstring.value if one.docstring else ""
        parts.append(f"### {name}\n\n{text}\n\nDerived from {bases}.{more(name)}\n")
    return "\n".join(parts)


@cache
def package() -> Any:
    """The package as griffe reads it, with the annotations that need no import."""
    import griffe

    return griffe.load("fewaspect", search_paths=[PACKAGE.parent])


def inherited(base: str, studio: bool = False) -> dict[str, Any]:
    """Classes that are one of `base`, itself included, by name: those of the studio, or all others."""
    bases = {one.path: {getattr(above, "canonical_path", above) for above in one.bases} for one in _classes(package())}
    known = {base}
    while new := {path for path, above in bases.items() if above & known} - known:
        known |= new
    found = sorted((one for one in _classes(package()) if one.path in known), key=_place_in_package)
    return {one.name: one for one in found if one.path.startswith("fewaspect.studio.") == studio}


def _place_in_package(one: Any) -> tuple[bool, str, int]:
    """The core's before the others."""
    return not one.path.startswith("fewaspect.core."), one.module.path, one.lineno


def _classes(module: Any) -> Iterator[Any]:
    """Those with a public name."""
    for name, one in module.members.items():
        if one.is_alias or (name.startswith("_") and one.is_class):
            continue
        if one.is_class:
            yield one
        elif one.is_module:
            yield from _classes(one)


def public_types() -> list[str]:
    """The public classes, then what their members take, hold and return, then what that holds."""
    import fewaspect

    places = [place for name in fewaspect.__all__ if (place := _place(name)) and name != "FewAspectError"]
    for place in places:  # grows
        if place not in OPAQUE:
            places += [found for found in _parts(package()[place.removeprefix("fewaspect.")]) if found not in places]
    return [place for place in dict.fromkeys(places) if place not in ALIASES]


def _parts(one: Any) -> Iterator[str]:
    """What the annotations of its public members name."""
    import griffe

    for name, member in one.all_members.items() if one.is_class else ():
        if name.startswith("_") and name != "__init__":
            continue
        member = member.final_target if member.is_alias else member
        annotations = [member.annotation] if member.is_attribute else []
        if member.is_function:
            annotations = [member.returns, *(parameter.annotation for parameter in member.parameters)]
        for annotation in annotations:
            for part in annotation.iterate() if isinstance(annotation, griffe.Expr) else ():
                if isinstance(part, griffe.ExprName) and part.canonical_path.startswith("fewaspect."):
                    yield part.canonical_path


def results() -> str:
    """What the methods of the detector take and return: the public names, and what these are made of."""
    shown = [place for place in public_types() if place != DETECTOR]
    options = "    options:\n      members: false\n"
    return "\n".join(f"::: {place}\n{options if place in OPAQUE else ''}" for place in shown)


def research() -> str:
    return "\n".join(f"::: {place}\n" for place in RESEARCH)


def _place(name: str) -> str:
    import fewaspect

    one = getattr(fewaspect, name)
    return f"{one.__module__}.{one.__qualname__}" if inspect.isclass(one) else ""


def source(file: str, names: list[str]) -> str:
    """Functions of a file of the package as a block of code, without their docstrings."""
    text = (PACKAGE / file).read_text(encoding="utf-8")
    parts = [_function(text, ast.parse(text), name.split(".")) for name in names]
    return f'```python title="src/fewaspect/{file}"\n' + "\n\n\n".join(parts) + "\n```"


def _function(text: str, node: Any, path: list[str]) -> str:
    for name in path:
        node = next(part for part in node.body if getattr(part, "name", None) == name)
    lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
    if ast.get_docstring(node) and len(node.body) > 1:
        docstring = node.body[0]
        del lines[docstring.lineno - node.lineno : docstring.end_lineno - node.lineno + 1]
    return textwrap.dedent("\n".join(lines))
