"""YAML of unknown origin: a value that does not fit its tag, or names that stand for millions of values, are faults."""

from __future__ import annotations

from typing import Any

import yaml

MOST_VALUES = 1_000_000
_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # of a constructor: `!!bool maybe`


class YamlReader(yaml.SafeLoader):
    """As SafeLoader, but every fault is a `YAMLError`, with the line where it is known."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except _FAULTS as error:
            problem = f"a value that does not fit {node.tag.rpartition(':')[2]}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error


def load_yaml(text: str, reader: type[YamlReader] = YamlReader) -> Any:
    """The value of a text with one document; a `YAMLError` if there is none."""
    loader = reader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _count_values(node, {})
        return loader.construct_document(node)
    except _FAULTS as error:
        raise yaml.YAMLError(f"a value that does not fit its tag: {error}") from error
    except RecursionError:
        raise yaml.YAMLError("values inside one another thousands deep") from None
    finally:
        loader.dispose()


def _count_values(node: Any, counted: dict[int, int]) -> int:
    """How many values there are if every alias is written out; refused if too many, or if one contains itself."""
    if id(node) not in counted:
        counted[id(node)] = MOST_VALUES  # until all inside it are counted: reached again, it contains itself
        parts = node.value if isinstance(node.value, list) else ()
        inside = [part for own in parts for part in (own if isinstance(own, tuple) else (own,))]
        counted[id(node)] = 1 + sum(_count_values(part, counted) for part in inside)
    if counted[id(node)] > MOST_VALUES:
        problem = f"aliases that stand for more than {MOST_VALUES:,} values, or for themselves"
        raise yaml.composer.ComposerError(None, None, problem, node.start_mark)
    return counted[id(node)]
