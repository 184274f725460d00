"""The hyperparameters as command line options, made from the fields of `Options`."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import click

from unscaled.errors import UsageError
from unscaled.losses import LOSSES
from unscaled.options import OPEN_CLASSES, Options
from unscaled.rules import RULES

DTYPES = ("float64", "float32")

_SHOWN = {
    "learning_rate": "RATE[,RATE…]",
    "clip": "C|LOW,HIGH|labels",
    "interactions": "1|2|3|A:B",
    "classes": "A,B,…",
}


def hyperparameters(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds an option for each hyperparameter; only those that were given are handed on."""
    for each in reversed(fields(Options)):
        command = _option(each.name, each.default, each.metadata["help"])(command)
    return command


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
        shell_complete=lambda context, parameter, typed: [each for each in complete if each.startswith(typed)],
    )


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
    rates = [_number("--learning-rate", part) for part in text.split(",")]
    return rates[0] if len(rates) == 1 else rates


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
