"""The charts: the bars of `unscaled inspect --plot` and the curves of `unscaled theory --output`."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from unscaled import drawing

if TYPE_CHECKING:
    from unscaled.theory.curves import Curves

POSITIVE, NEGATIVE = drawing.COLOURS[:2]

MOST_BARS = 200
LONGEST_NAME = 40

FAMILIES = {
    "The theorems": ("theorem 1", "theorem 2"),
    "The algorithms of the paper": ("ng", "nag", "snag"),
    "Without normalisation": ("ag", "sgd"),
}
OFF_THE_PAPER = 1e30


class Bars(NamedTuple):
    """What is drawn: a name and a signed effect each, the strongest first, and what the sign means."""

    names: list[str]
    effects: list[float]
    meaning: str


def draw_effects(bars: Bars, title: str, path: str) -> None:
    """Draws the bars, the first on top."""
    drawing.check_drawing("--plot")
    names, effects = bars.names[:MOST_BARS], bars.effects[:MOST_BARS]
    plain: dict[str, Any] = {"parse_math": False}  # a $ in a name is a $
    figure, axes = drawing.panels(size=(8, 0.9 + 0.28 * len(names)))
    colours = [POSITIVE if effect >= 0 else NEGATIVE for effect in effects]
    axes.barh(range(len(names)), effects, color=colours)
    axes.set_yticks(range(len(names)), [_short(name) for name in names], **plain)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel(bars.meaning, **plain)
    axes.set_title(title, loc="left", fontsize=10, **plain)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    axes.grid(axis="x", alpha=0.3)
    drawing.save(figure, path)


def draw_regret(curves: "Curves", title: str, path: str) -> None:
    """Draws regret over time, a panel for each family: broad in native units, dashed in all others on top of it."""
    drawing.check_drawing("--output")
    figure, panels = drawing.panels(1, len(FAMILIES), size=(13, 5.2))
    for axes, (family, names) in zip(panels, FAMILIES.items(), strict=True):
        for name, colour in zip(names, drawing.COLOURS, strict=False):
            _draw_curve(axes, curves, name, colour)
        axes.set_title(family, loc="left", fontsize=10)
        axes.set_xlabel("rounds")
        axes.set_xscale("log")
        _set_y_axis(axes)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False)
    panels[0].set_ylabel("regret")
    figure.suptitle(title, fontsize=11, parse_math=False)
    drawing.save(figure, path)


def _draw_curve(axes: Any, curves: "Curves", name: str, colour: str) -> None:
    native = curves.native[name]
    axes.plot(curves.times, _drawable(native.regret), color=colour, linewidth=6, alpha=0.3, label=name)
    for number, other in enumerate(curves.rescaled[name]):
        label = None if number else f"{name}, other units"
        axes.plot(curves.times, _drawable(other.regret), color=colour, linewidth=1.2, linestyle="--", label=label)
    if native.bound is not None:
        axes.plot(curves.times, native.bound, color=colour, linewidth=1.2, linestyle=":", label=f"bound of {name}")


def _set_y_axis(axes: Any) -> None:
    """Logarithmic beyond ±1, with room for 0 between them however many powers of ten there are."""
    heights = [y for line in axes.lines for y in line.get_ydata() if math.isfinite(y)]
    high, low = max(1.0, *heights), min(0.0, *heights)
    powers = math.log10(high) + math.log10(max(1.0, -low))
    axes.set_yscale("symlog", linthresh=1.0, linscale=1.0 + powers / 10.0)
    axes.yaxis.get_major_locator().set_params(numticks=9)
    axes.set_ylim(low * 2.0 if low < -1.0 else low - 0.3, high * 2.0)


def _drawable(regret: Any) -> list[float]:
    """A curve ends where it leaves the paper."""
    return [float(each) if abs(each) < OFF_THE_PAPER else math.nan for each in regret]


def bars_of(table: Any, classes: list[Any] | None, rates: int) -> Bars:
    """weight * scale of each feature in a table of weights.

    Of two classes it is that of the second, for which a positive effect speaks. Of more, and of several targets or
    learning rates, it is that in which the feature is strongest, whose name stands behind the feature's.
    """
    lanes = {_lane(name): table[name].to_pylist() for name in table.column_names if name.startswith("weight")}
    names, scales = table["feature"].to_pylist(), table["scale"].to_pylist()
    meaning = "weight × scale: effect on the score"
    if classes is not None and len(classes) == 2:
        second = list(lanes.values())[-rates]
        effects = [_finite(weight * scale) for weight, scale in zip(second, scales, strict=True)]
        first_name, second_name = map(_short, map(str, classes))
        meaning += f" — positive speaks for {second_name}, negative for {first_name}"
        bars = sorted(zip(names, effects, strict=True), key=lambda bar: -abs(bar[1]))
        return Bars([name for name, _ in bars], [effect for _, effect in bars], meaning)
    rows = list(zip(*lanes.values(), strict=True))
    strongest = [_place_of_largest(row) for row in rows]
    if len(lanes) > 1:
        labels = list(lanes)
        names = [f"{_short(name)} → {labels[k]}" for name, k in zip(names, strongest, strict=True)]
    effects = [_finite(row[k] * scale) for row, k, scale in zip(rows, strongest, scales, strict=True)]
    return Bars(names, effects, meaning)


def _place_of_largest(weights: Sequence[float]) -> int:
    sizes = [abs(_finite(weight)) for weight in weights]
    return sizes.index(max(sizes))


def _lane(name: str) -> str:
    """The class, target or rate in `weight[Rad.Flow]`."""
    return name[len("weight[") : -1]


def _finite(number: float) -> float:
    """A learner that has diverged has no bars."""
    return number if math.isfinite(number) else 0.0


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1]}…"
