"""Commands, REST paths and errors as Markdown, read off the program itself."""

from __future__ import annotations

import ast
import enum
import inspect
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2] / "src" / "fewaspect"
METHODS = ("get", "post", "put", "patch", "delete")
PARTS = (  # of what is returned
    "fewaspect.detector.explain.SentenceResult",
    "fewaspect.detector.explain.WordEvidence",
    "fewaspect.detector.explain.NearExample",
    "fewaspect.detector.thresholds.TunedAspect",
    "fewaspect.detector.labelling.audit.AuditSentence",
    "fewaspect.detector.labelling.audit_result.AuditedAspect",
    "fewaspect.detector.labelling.audit_result.Estimate",
    "fewaspect.detector.labelling.discover.TypicalSentence",
    "fewaspect.detector.labelling.suggest.Settling",
    "fewaspect.detector.labelling.target_precision.Promised",
    "fewaspect.detector.labelling.target_precision.PromisedAspect",
)
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
    """Every command by what is typed: "fewaspect data check"."""
    import typer

    from fewaspect.cli.app import app

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        if parts := getattr(command, "commands", None):
            for part, own in parts.items():
                yield from walk(f"{name} {part}", own)
        else:
            yield name, command

    return dict(walk("fewaspect", typer.main.get_command(app)))


def commands() -> str:
    """A section for each command, a line for each argument and option."""
    return "\n".join(_command(name, command) for name, command in all_commands().items())


def _command(name: str, command: Any) -> str:
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    options = [one for one in command.params if one.opts[0].startswith("-") and not getattr(one, "hidden", False)]
    usage = " ".join([name, *(_argument(one) for one in arguments), "[OPTIONS]" if options else ""]).strip()
    parts = [f"## {name}\n", inspect.cleandoc(command.help or ""), f"\n```text\n{usage}\n```\n"]
    if arguments:
        rows = [f"| `{_argument(one)}` | {_cell(one.help)} |" for one in arguments]
        parts += ["| argument | |", "|---|---|", *rows, ""]
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
    return f"| `{(flags + value).replace('|', chr(92) + '|')}` | {_cell(one.help)}{again}{variable} | {needed} |"


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
    return " ".join((text or "").split()).replace("|", "\\|")


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


def all_errors() -> dict[str, type[Exception]]:
    """The errors of the package that a caller can meet, by name."""
    from fewaspect.core import errors as package
    from fewaspect.core.errors import FewAspectError

    return {
        name: one
        for name, one in vars(package).items()
        if inspect.isclass(one) and issubclass(one, FewAspectError) and one.__module__ == package.__name__
    }


def errors() -> str:
    """A section for each error: what it says, and what else it may be caught as."""
    parts = []
    for name, one in all_errors().items():
        bases = " and ".join(f"`{base.__name__}`" for base in one.__bases__)
        parts.append(f"### {name}\n\n{inspect.getdoc(one)}\n\nIs a {bases}.\n")
    return "\n".join(parts)


def results() -> str:
    """What the methods of the detector return: the public names, and what these are made of."""
    import fewaspect

    shown = [
        place
        for name in fewaspect.__all__
        if (place := _place(name)) and name not in ("AspectDetector", "FewAspectError")
    ]
    return "\n".join(f"::: {place}\n" for place in (*shown, *PARTS))


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
