"""Online linear learning that does not care about units."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from unscaled import datasets, reference
    from unscaled.errors import DataError, ModelFileError, UnscaledError, UsageError
    from unscaled.estimators import OnlineClassifier, OnlineRegressor
    from unscaled.learner import Learner, load
    from unscaled.tuning import tune

_HOMES = {
    "DataError": "unscaled.errors",
    "Learner": "unscaled.learner",
    "ModelFileError": "unscaled.errors",
    "OnlineClassifier": "unscaled.estimators",
    "OnlineRegressor": "unscaled.estimators",
    "UnscaledError": "unscaled.errors",
    "UsageError": "unscaled.errors",
    "datasets": "unscaled.datasets",
    "load": "unscaled.learner",
    "reference": "unscaled.reference",
    "tune": "unscaled.tuning",
}

__all__ = [  # noqa: PLE0604
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first asked for: `unscaled --help` must not wait for a compiler."""
    from importlib import import_module  # noqa: PLC0415

    if name not in _HOMES:
        raise AttributeError(f"module 'unscaled' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return home if _HOMES[name] == f"unscaled.{name}" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
