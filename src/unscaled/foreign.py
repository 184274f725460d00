"""Losses and rules of the user's own, made fit for the compiled kernels.

Numba tells the classes of two NamedTuples apart by their names and fields when it looks at values, so a class that is
defined anew in a notebook would get the code of the old one. Each foreign class is therefore given a double with a
name of its own, and kernels for it are not kept on disk, where a name is all that is left of a class.
"""

import itertools
from collections import namedtuple
from typing import Any
from weakref import WeakKeyDictionary

from unscaled.errors import UsageError
from unscaled.kernels import Model
from unscaled.losses import LOSSES
from unscaled.options import Options
from unscaled.rules import RULES

_OURS = {*LOSSES.values(), *RULES.values()}
_doubles: WeakKeyDictionary[type, type] = WeakKeyDictionary()
_numbers = itertools.count()


def is_foreign(options: Options) -> bool:
    """Whether the loss or the rule is not of this package."""
    return type(options.loss) not in _OURS or type(options.rule) not in _OURS


def adopted(model: Model) -> Model:
    """The same model, its loss and its rule replaced by their doubles if they are foreign."""
    loss = None if model.loss is None else double_of(model.loss)
    return model._replace(loss=loss, rule=_double(model.rule, ("limit", "beyond", "gain", "pace")))


def double_of(loss: Any) -> Any:
    """A loss that compiled code can tell from all others: itself if it is one of ours."""
    return _double(loss, ("value", "slope"))


def _double(made: Any, needed: tuple[str, ...]) -> Any:
    own = type(made)
    if own in _OURS:
        return made
    missing = [name for name in needed if not hasattr(own, name)]
    if missing or not hasattr(own, "_fields"):
        raise UsageError(
            f"{own.__name__} must be a NamedTuple with the functions {', '.join(needed)}"
            + (f"; it lacks {', '.join(missing)}" if missing else "")
        )
    if own not in _doubles:
        double: Any = namedtuple(f"{own.__name__}_{next(_numbers)}", own._fields)  # type: ignore[misc]
        for name, attribute in vars(own).items():
            if not name.startswith("_") and name not in own._fields:
                setattr(double, name, attribute)
        _doubles[own] = double
    return _doubles[own](*made)
