"""What can be chosen about a learner: every hyperparameter, stated once.

`Options` is checked when it is made, so that whatever holds one can trust it. The estimators and the command line
take names, defaults and help from its fields.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any

from unscaled.errors import UsageError
from unscaled.losses import LOSSES, Loss
from unscaled.rules import NAG, RULES, Auto, Newton, Rule

Interactions = int | Sequence[tuple[str, str]]
Clip = None | str | float | tuple[float, float]
Classes = None | str | Sequence[Any]

FOLLOW_LABELS = "labels"
OPEN_CLASSES = "auto"


def _option(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class Options:
    """The hyperparameters of a learner."""

    rule: Rule = _option(
        "auto",
        f"The update rule: {', '.join(RULES)}. auto needs no rate; with a learning rate or a penalty given it is nag.",
    )
    loss: Loss = _option("squared", f"The loss: {', '.join(LOSSES)}; parameters in parentheses, as in quantile(0.9).")
    learning_rate: None | float | tuple[float, ...] = _option(
        None,
        "The learning rate of the rules that need one, by default 0.5. Several rates learn side by side.",
    )
    intercept: bool = _option(True, "Whether there is a constant feature.")
    importance_aware: bool = _option(
        True,
        "Whether steps follow the gradient flow and so never overshoot; otherwise the paper's plain step.",
    )
    clip: None | str | tuple[float, float] = _option(
        None, "Cut predictions to ±C, to (low, high), or to the range of the labels seen before ('labels')."
    )
    l1: float = _option(0.0, "L1 penalty on the weights in units of their scales.")
    l2: float = _option(0.0, "L2 penalty on the weights in units of their scales.")
    interactions: Interactions = _option(
        1, "2 adds all products of two columns, 3 also of three; or pairs of column patterns, as job:*."
    )
    hash_bits: int | None = _option(
        None, "Keep categories and interactions in a table of 2^bits features instead of by exact name."
    )
    missing_indicator: bool = _option(False, "Add a feature that says that a column's value is missing.")
    dtype: str = _option("float64", "Precision of the weights: float64, or float32 for very large models.")
    classes: None | str | tuple[Any, ...] = _option(
        None, "The classes, or 'auto' to learn them as they appear; without it, numbers are predicted."
    )

    def __post_init__(self) -> None:
        """Brings what was given into one form and refuses what makes no sense."""
        settle = {
            "rule": named("rule", self.rule, RULES),
            "loss": named("loss", self.loss, LOSSES),
            "learning_rate": None if self.learning_rate is None else _rates(self.learning_rate),
            "intercept": _yes_or_no("intercept", self.intercept),
            "importance_aware": _yes_or_no("importance_aware", self.importance_aware),
            "missing_indicator": _yes_or_no("missing_indicator", self.missing_indicator),
            "clip": _clip(self.clip),
            "l1": _at_least_zero("l1", self.l1),
            "l2": _at_least_zero("l2", self.l2),
            "interactions": _interactions(self.interactions),
            "hash_bits": _hash_bits(self.hash_bits),
            "dtype": _one_of("dtype", str(self.dtype), ("float64", "float32")),
            "classes": _classes(self.classes),
        }
        for name, value in settle.items():
            object.__setattr__(self, name, value)
        self._settle_rate()

    def _settle_rate(self) -> None:
        """A rule that finds its rate takes nothing that belongs to the steps of the others; auto then is nag."""
        given = {
            "learning_rate": self.learning_rate is not None,
            "importance_aware": not self.importance_aware,
            "l1": self.l1 > 0.0,
            "l2": self.l2 > 0.0,
        }
        if self.finds_its_rate and any(given.values()):
            if not isinstance(self.rule, Auto):
                name = next(name for name, is_given in given.items() if is_given)
                raise UsageError(f"{name}: {spelled(self.rule)} finds its steps itself; take another rule, such as nag")
            object.__setattr__(self, "rule", NAG())
        if not self.finds_its_rate and self.learning_rate is None:
            object.__setattr__(self, "learning_rate", 0.5)

    @property
    def finds_its_rate(self) -> bool:
        """Whether the rule is one of those that need no learning rate, auto and newton."""
        return isinstance(self.rule, (Auto, Newton))

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates, also if there is only one; 1 stands for that of a rule that needs none."""
        if self.learning_rate is None:
            return (1.0,)
        return self.learning_rate if isinstance(self.learning_rate, tuple) else (self.learning_rate,)

    @property
    def order(self) -> int:
        """The order of the interactions: 1 if there are none."""
        return self.interactions if isinstance(self.interactions, int) else 2

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of column patterns that interactions are limited to; none if they are not."""
        return () if isinstance(self.interactions, int) else tuple(self.interactions)

    def described(self) -> dict[str, Any]:
        """The options as plain JSON, from which they can be made again."""
        return {**vars(self), "rule": spelled(self.rule), "loss": spelled(self.loss)}


def option_fields() -> dict[str, str]:
    """Every option and its help."""
    return {each.name: each.metadata["help"] for each in fields(Options)}


def named(kind: str, given: object, known: Mapping[str, Any]) -> Any:
    """A rule or a loss from its name, with parameters in parentheses, or one that is made already."""
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return _checked_made(kind, given, known)
    call = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", str(given))
    if call is None or call[1] not in known:
        raise UsageError(f"unknown {kind} {given!r}{nearest(str(given), known)}")
    maker = known[call[1]]
    try:
        numbers = [float(part) for part in (call[2] or "").split(",") if part.strip()]
        made = maker(*numbers)
    except (TypeError, ValueError):
        takes = ", ".join(maker._fields) or "no parameters"
        raise UsageError(f"cannot read {kind} {given!r}: {call[1]} takes {takes}") from None
    _check_parameters(str(given), made)
    return made


def _checked_made(kind: str, given: Any, known: Mapping[str, Any]) -> Any:
    """A rule or a loss that is made already; those of the user's own are looked at when they are first used."""
    other = LOSSES if kind == "rule" else RULES
    if type(given) in set(other.values()):
        raise UsageError(f"{spelled(given)} is not a {kind}")
    if type(given) in known.values():
        _check_parameters(spelled(given), given)
    return given


_BOUNDS: dict[str, tuple[Callable[[float], bool], str]] = {
    "tau": (lambda tau: 0.0 < tau < 1.0, "between 0 and 1"),
    "delta": (lambda delta: delta > 0.0, "above 0"),
    "power": (lambda power: 0.0 <= power <= 10.0, "from 0 to 10"),
    "t0": (lambda t0: 0.0 < t0 < math.inf, "above 0 and finite"),
}
"""What the parameters of our losses and rules may be; all of them are told by their names."""


def _check_parameters(given: str, made: Any) -> None:
    for name, number in zip(made._fields, made, strict=True):
        fits, bounds = _BOUNDS[name]
        if not fits(number):
            raise UsageError(f"{given}: {name} must be {bounds}")


def spelled(made: Any) -> str:
    """The name that `named` reads: quantile(0.9)."""
    names: dict[type, str] = {maker: name for name, maker in [*RULES.items(), *LOSSES.items()]}
    name = names.get(type(made), type(made).__name__)
    return f"{name}({', '.join(repr(float(each)) for each in made)})" if made and type(made) in names else name


def nearest(given: str, known: Iterable[str]) -> str:
    """A hint that ends an error message: the nearest names, or all if none is near."""
    names = list(known)
    close = [name for name in names if name.casefold() == given.casefold()]
    close = close or difflib.get_close_matches(given, names, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(repr(name) for name in close)}?"
    return f"; there are {', '.join(names)}" if 0 < len(names) <= 20 else ""


def _rates(given: Any) -> float | tuple[float, ...]:
    several = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
    rates = tuple(given) if several else (given,)
    for rate in rates:
        if not _is_number(rate) or not 0.0 < rate < math.inf:
            raise UsageError(f"learning_rate must be a positive number, not {rate!r}")
    if not rates:
        raise UsageError("learning_rate is an empty list; give at least one rate")
    numbers = tuple(float(rate) for rate in rates)
    return numbers if several else numbers[0]


def _clip(given: Any) -> None | str | tuple[float, float]:
    if given is None or (isinstance(given, str) and given == FOLLOW_LABELS):
        return given
    bounds = (-given, given) if _is_number(given) else given
    if not isinstance(bounds, Sequence) or len(bounds) != 2 or not all(map(_is_number, bounds)):
        raise UsageError(f"clip must be a number, two numbers or 'labels', not {given!r}")
    low, high = map(float, bounds)
    if not low < high:
        raise UsageError(f"clip must go from a lower to a higher number, not {given!r}")
    return (low, high)


def _at_least_zero(name: str, given: float) -> float:
    if not _is_number(given) or not 0.0 <= given < math.inf:
        raise UsageError(f"{name} must be zero or a positive number, not {given!r}")
    return float(given)


def _interactions(given: Any) -> Interactions:
    if isinstance(given, int) and given in (1, 2, 3) and not isinstance(given, bool):
        return given
    if isinstance(given, Sequence) and not isinstance(given, str):
        pairs = [pair for pair in given if isinstance(pair, Sequence) and not isinstance(pair, str)]
        if pairs and len(pairs) == len(given) and all(len(pair) == 2 for pair in pairs) and len(pairs) <= 62:
            return tuple((str(left), str(right)) for left, right in pairs)
    raise UsageError(
        f"interactions must be 1, 2, 3 or up to 62 pairs of column patterns such as [('job', '*')], not {given!r}"
    )


def _hash_bits(given: int | None) -> int | None:
    if given is None or (isinstance(given, int) and 1 <= given <= 31 and not isinstance(given, bool)):
        return given
    raise UsageError(f"hash_bits must be a whole number from 1 to 31, not {given!r}")


def _one_of(name: str, given: str, known: Sequence[str]) -> str:
    if given not in known:
        raise UsageError(f"unknown {name} {given!r}{nearest(given, known)}")
    return given


def _classes(given: Any) -> None | str | tuple[Any, ...]:
    if given is None or (isinstance(given, str) and given == OPEN_CLASSES):
        return given
    if isinstance(given, str):
        raise UsageError(f"classes must be None, 'auto' or a list of classes, not {given!r}")
    if not isinstance(given, Iterable):
        raise UsageError(f"classes must be None, 'auto' or a list of classes, not {given!r}")
    classes = tuple(plain_class(name) for name in given)
    if len(set(classes)) != len(classes) or len(classes) < 2:
        raise UsageError(f"classes must be two or more different ones, not {list(classes)!r}")
    return classes


def plain_class(name: Any) -> Any:
    """A class as a model file can keep it: text, a number or a truth value, without NumPy's wrapping."""
    plain = name.item() if hasattr(name, "item") else name
    if plain is None or isinstance(plain, (str, int, float, bool)):
        return plain
    raise UsageError(f"classes must be text, numbers or truth values, not {plain!r}")


def _yes_or_no(name: str, given: Any) -> bool:
    if type(given).__name__ in ("bool", "bool_"):
        return bool(given)
    raise UsageError(f"{name} must be True or False, not {given!r}")


def _is_number(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)
