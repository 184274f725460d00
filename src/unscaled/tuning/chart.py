"""The metric over the learning rate: a curve a candidate, as a picture or as a page that needs nothing else."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unscaled import drawing
from unscaled.errors import UnscaledError
from unscaled.pages import Heading, Picture, Points, Table, Text, as_html

if TYPE_CHECKING:
    from unscaled.tuning.outcome import Curve, Tuned

PAGE = ".html"
SUFFIXES = (*drawing.SUFFIXES, PAGE)

TITLES = {
    "mse": "mean squared error",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "r2": "R²",
    "error": "share of wrong classes",
    "log_loss": "log loss",
    "auc": "area under the ROC curve",
    "loss": "loss",
}

_LINES, _MARKERS = ("-", "--", ":", "-."), ("o", "s", "^", "D", "v", "P", "X")
_FAR, _WIDE = 1e4, 20.0
"""What is so many times worse than the best is off the paper; what spans so much is drawn on a logarithmic axis."""


def write_chart(tuned: "Tuned", path: str) -> None:
    """Draws the curves to a file of one of `SUFFIXES`."""
    drawing.check_suffix(path, "plot", SUFFIXES)
    drawing.check_drawing("a plot")
    figure, axes = _drawn(tuned)
    if not path.lower().endswith(PAGE):
        drawing.tidy(axes)
        drawing.save(figure, path)
        return
    page = as_html([*_blocks(tuned, drawing.finished_svg(figure, [axes], legend=False))], "unscaled tune")
    try:
        Path(path).write_text(page, encoding="utf-8")
    except OSError as error:
        raise UnscaledError(f"cannot write {path}: {error.strerror or error}") from None


def _drawn(tuned: "Tuned") -> tuple[Any, Any]:
    from unscaled.tuning.outcome import order_of  # noqa: PLC0415

    curves = order_of(tuned.curves)
    figure, axes = drawing.panels(size=(8.5, 4.6 + 0.21 * math.ceil(len(curves) / 2)))
    worst = _limit(tuned)
    styles = _styles(tuned.curves)
    for number, curve in enumerate(curves):
        _draw_curve(axes, curve, {**styles(curve), "linewidth": 1.4 if number else 2.6}, worst)
    row, best = tuned.best_row, tuned.curves_best
    if row["rate"] is not None:
        axes.plot([row["rate"]], [best], "o", markersize=15, fillstyle="none", color="black", markeredgewidth=1.4)
    if any(None not in curve.rates for curve in curves):
        axes.set_xscale("log")
    axes.set_yscale("log" if _spans_much(axes) else "linear")
    axes.margins(y=0.1)
    axes.set(xlabel="learning rate", ylabel=f"progressive {TITLES[tuned.metric]}")
    axes.set_title(_headline(tuned), loc="left", fontsize=10, parse_math=False)
    legend = figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9, handlelength=3.5)
    for text in legend.get_texts():
        text.set_parse_math(False)  # a $ in a name is a $
    return figure, axes


def _draw_curve(axes: Any, curve: "Curve", style: dict[str, Any], worst: float) -> None:
    points = [
        (rate, value if math.isfinite(value) and abs(value) <= worst else math.nan)
        for rate, value in zip(curve.rates, curve.values, strict=True)
    ]
    label = f"{curve.name} ({curve.standing.value:.4g})"
    rates = [rate for rate, _ in points]
    if None in rates:  # it finds its rate itself
        axes.axhline(points[0][1], label=label, **{**style, "marker": ""})
    else:
        axes.plot(rates, [value for _, value in points], label=label, **style)


def _styles(curves: Sequence["Curve"]) -> "Callable[[Curve], dict[str, Any]]":
    """A colour for each rule, a line for each kind of interactions, a marker for each loss."""
    rules, kinds, losses = (
        list(dict.fromkeys(getattr(curve, name) for curve in curves)) for name in ("rule", "interactions", "loss")
    )

    def style(curve: "Curve") -> dict[str, Any]:
        return {
            "color": drawing.COLOURS[rules.index(curve.rule) % len(drawing.COLOURS)],
            "linestyle": _LINES[kinds.index(curve.interactions) % len(_LINES)],
            "marker": _MARKERS[losses.index(curve.loss) % len(_MARKERS)],
            "markersize": 5,
        }

    return style


def _limit(tuned: "Tuned") -> float:
    """Beyond this, a rate has diverged; the curve ends there."""
    return max(abs(tuned.curves_best), 1e-300) * _FAR if tuned.metric not in ("r2", "auc") else 10.0


def _spans_much(axes: Any) -> bool:
    drawn = [float(y) for line in axes.lines for y in line.get_ydata() if math.isfinite(y)]
    return min(drawn) > 0.0 and max(drawn) > _WIDE * min(drawn)


def _headline(tuned: "Tuned") -> str:
    row = tuned.best_row
    rate = "" if row["rate"] is None else f" at rate {row['rate']:g}"
    return (
        f"Best: {row['rule']}, {row['loss']}, interactions {row['interactions']}{rate}: "
        f"{TITLES[tuned.metric]} {tuned.curves_best:.4g} after {tuned.best.examples:,} rows"
    )


def _blocks(tuned: "Tuned", svg: str) -> Sequence[Heading | Text | Points | Table | Picture]:
    from unscaled.tuning.outcome import order_of  # noqa: PLC0415

    rows = [
        (curve.rule, curve.loss, _cell(curve.interactions), _rate(curve), f"{curve.standing.value:.6g}")
        for curve in order_of(tuned.curves)
    ]
    heads = ("rule", "loss", "interactions", "best rate", TITLES[tuned.metric])
    caption = "One curve for each candidate, all of them over the same rows; in parentheses its best value."
    return [
        Heading(1, "Which rule, loss, interactions and learning rate?"),
        Text(f"**{_cell(_headline(tuned))}.** Every row was predicted before it was learned from."),
        *([Points(tuned.notes)] if tuned.notes else []),
        Picture("tune", svg, caption),
        Table(heads, rows),
        Heading(2, "At every rate"),
        Table(tuned.table.column_names, [[_cell(cell) for cell in row.values()] for row in tuned.table.to_pylist()]),
    ]


def _rate(curve: "Curve") -> str:
    if curve.best_rate is None:
        return "its own"
    return f"{curve.best_rate:g}" + (f" ({curve.standing.end} tried)" if curve.standing.end else "")


def _cell(value: Any) -> str:
    """A star in a pattern of columns is not to begin italics."""
    if value is None:
        return "–"
    return value.replace("*", "∗") if isinstance(value, str) else f"{value:.6g}"
