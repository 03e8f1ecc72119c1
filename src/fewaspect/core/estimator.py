"""scikit-learn's conventions without scikit-learn: parameters, tags and the error of an unfitted one."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from fewaspect.core.errors import NotFittedError, ParameterError

if TYPE_CHECKING:
    from typing_extensions import Self


class Estimator:
    """Parameters are the arguments of `__init__`, kept unchanged under their own names."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; `deep` changes nothing, for none of them is an estimator."""
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name."""
        known = _parameters(type(self))
        for name, value in params.items():
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__}: expected one of the parameters {', '.join(known)}, found {name!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The class with the parameters that differ from their defaults."""
        given = [
            f"{name}={value!r}"
            for name, default in _parameters(type(self)).items()
            if (value := getattr(self, name)) is not default
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        """Takes strings. No classifier to scikit-learn, which would have it split lists of names by class."""
        tags = sys.modules["sklearn.utils"]  # scikit-learn alone asks for them, so it is loaded
        return tags.Tags(
            estimator_type=None,
            target_tags=tags.TargetTags(required=True, multi_output=True),
            input_tags=tags.InputTags(string=True, two_d_array=False),
        )


def not_fitted(message: str) -> NotFittedError:
    """An error that is scikit-learn's own kind too, where scikit-learn is loaded and may be waiting for it."""
    loaded = sys.modules.get("sklearn.exceptions")
    kind = type("NotFittedError", (NotFittedError, loaded.NotFittedError), {}) if loaded else NotFittedError
    return kind(message)


def _parameters(kind: type) -> dict[str, Any]:
    """Names and defaults of the arguments of `__init__`."""
    signature = inspect.signature(kind.__init__)  # type: ignore[misc]
    return {name: parameter.default for name, parameter in signature.parameters.items() if name != "self"}
