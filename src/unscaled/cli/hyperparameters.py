"""The hyperparameters as command line options, made from the fields of `Options`."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import click

from unscaled.errors import UsageError
from unscaled.losses import LOSSES
from unscaled.options import OPEN_CLASSES, Options
from unscaled.rules import RULES

DTYPES = ("float64", "float32")
MOST_RATES = 1000

_SHOWN = {
    "learning_rate": "RATE[,RATE…]",
    "clip": "C|LOW,HIGH|labels",
    "interactions": "1|2|3|A:B",
    "classes": "A,B,…",
}


TRIED = ("rule", "loss", "learning_rate", "interactions")
"""Of these, `unscaled tune` takes several."""


def hyperparameters(command: Callable[..., Any], without: Sequence[str] = ()) -> Callable[..., Any]:
    """Adds an option for each hyperparameter; only those that were given are handed on."""
    for each in reversed([each for each in fields(Options) if each.name not in without]):
        command = _option(each.name, each.default, each.metadata["help"])(command)
    return command


def shared_hyperparameters(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds an option for each hyperparameter that is the same for all candidates of `unscaled tune`."""
    return hyperparameters(command, without=TRIED)


def complete_formats(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """The names of formats for a shell."""
    from unscaled.sources import format_names

    return [name for name in format_names() if name.startswith(typed)]


def _option(name: str, default: Any, text: str) -> Callable[..., Any]:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(default, bool):
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, help=f"{text}  [default: {default}]")
    shown = "" if default is None else f"  [default: {default}]"
    several = name == "interactions"
    complete: Any = {"rule": RULES, "loss": LOSSES, "dtype": DTYPES, "classes": (OPEN_CLASSES,)}.get(name, ())
    return click.option(
        flag,
        name,
        default=None,
        multiple=several,
        metavar=_SHOWN.get(name, name.upper()),
        help=text + shown,
        shell_complete=completes(complete),
    )


def completes(names: Iterable[str]) -> Callable[..., list[str]]:
    """What a shell is told of names."""
    return lambda context, parameter, typed: [each for each in names if each.startswith(typed)]


def given_options(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The hyperparameters that were given, as `Options` takes them."""
    readers: dict[str, Callable[[Any], Any]] = {
        "learning_rate": _rates,
        "clip": _clip,
        "l1": lambda text: _number("--l1", text),
        "l2": lambda text: _number("--l2", text),
        "interactions": _interactions,
        "hash_bits": lambda text: _whole("--hash-bits", text),
        "classes": lambda text: text if text == OPEN_CLASSES else [name.strip() for name in text.split(",")],
    }
    names = {each.name for each in fields(Options)}
    given = {name: value for name, value in raw.items() if name in names and value not in (None, ())}
    return {name: readers.get(name, lambda value: value)(value) for name, value in given.items()}


def _number(flag: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{flag}: {text!r} is not a number") from None


def _rates(text: str) -> Any:
    rates = _numbers("--learning-rate", text)
    return rates[0] if len(rates) == 1 else rates


def _numbers(flag: str, text: str) -> list[float]:
    return [_number(flag, part) for part in text.split(",")]


def tried_rates(text: str) -> list[float]:
    """A list of rates, or so many from a lowest to a highest, evenly spaced by their logarithms."""
    if ":" not in text:
        return _numbers("--rates", text)
    parts = text.split(":")
    if len(parts) != 3:
        raise UsageError(f"--rates: give LOW:HIGH:COUNT, as 0.01:30:8, or a list of rates, not {text!r}")
    low, high, count = _number("--rates", parts[0]), _number("--rates", parts[1]), _whole("--rates", parts[2])
    if not 0.0 < low < high < math.inf or not 2 <= count <= MOST_RATES:
        raise UsageError(f"--rates: {text!r} must go up from above 0 in 2 to {MOST_RATES} steps")
    spaced = (low * (high / low) ** (k / (count - 1)) for k in range(count))
    return [float(f"{rate:.3g}") for rate in spaced]  # as they are shown, so that what is shown can be typed


def tried_interactions(given: tuple[str, ...]) -> list[Any]:
    """One kind of interactions each: an order, or pairs separated by commas."""
    return [_interactions(tuple(each.split(","))) for each in given]


def _whole(flag: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{flag}: {text!r} is not a whole number") from None


def _clip(text: str) -> Any:
    if text == "labels":
        return text
    bounds = tuple(_number("--clip", part) for part in text.split(","))
    return bounds[0] if len(bounds) == 1 else bounds


def _interactions(given: tuple[str, ...]) -> Any:
    if len(given) == 1 and ":" not in given[0]:
        return _whole("--interactions", given[0])
    pairs = [tuple(pair.split(":")) for pair in given]
    if any(len(pair) != 2 for pair in pairs):
        raise UsageError(f"--interactions: give 1, 2, 3, or pairs such as job:* (got {' '.join(given)})")
    return pairs
