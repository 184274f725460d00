"""The pictures of the report, as SVG."""

from collections.abc import Iterable
from typing import Any

from unscaled import drawing
from unscaled.paper.claims import MAX_NORM, RAW, SQUARE_NORM
from unscaled.paper.findings import Findings, Result
from unscaled.paper.toy import Toy

COLOURS = {"nag": "#2a6f97", "snag": "#5a8f3d", "ag": "#c8553d"}
LIGHT, LINE = 0.35, 1.8


def toy(found: Toy) -> str:
    """Figure 1: the loss over the unit of one feature."""
    figure, axes = drawing.panels(size=(7.5, 4.2))
    for rule in found.rates:
        colour = COLOURS[rule]
        axes.plot(
            found.factors, found.in_hindsight(rule), color=colour, linewidth=LINE, label=f"{rule}, best rate each"
        )
        axes.plot(
            found.factors,
            found.at_one_rate(rule),
            color=colour,
            linestyle="--",
            linewidth=LINE,
            label=f"{rule}, one rate",
        )
    axes.set(xscale="log", yscale="log", xlabel="unit of the first feature", ylabel="progressive squared loss")
    return drawing.finished_svg(figure, [axes])


def against(findings: Findings) -> str:
    """Figure 2: nag and snag on raw features beside ag on normalised ones."""
    figure, panels = drawing.panels(1, 2, size=(9.5, 4.4))
    for axes, rule, scaling in zip(panels, ("nag", "snag"), (MAX_NORM, SQUARE_NORM), strict=True):
        raw = [each for each in _raw(findings) if each.cell.rule == rule]
        for each in raw:
            for other, marker, alpha in ((scaling, "o", 1.0), (RAW, "x", LIGHT)):
                ag = findings.result(each.cell.data, "ag", other)
                if ag is not None:
                    axes.plot(ag.best.loss, each.best.loss, marker, color=COLOURS[rule], alpha=alpha, markersize=8)
                    if other == scaling:
                        _name(axes, each, ag)
        ends = [each.best.loss for each in findings.results]
        axes.plot([min(ends), max(ends)], [min(ends), max(ends)], color="black", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel="loss of ag", ylabel=f"loss of {rule}, raw features")
        axes.plot([], [], "o", color=COLOURS[rule], label=f"ag, {scaling}")
        axes.plot([], [], "x", color=COLOURS[rule], alpha=LIGHT, label="ag, raw features")
    return drawing.finished_svg(figure, panels)


def _name(axes: Any, raw: Result, ag: Result) -> None:
    """Below a point, or above if the set is here in part: such a point may stand beside one that counts."""
    place, side = ((8, -10), "left") if raw.whole else ((0, 8), "center")
    point = (ag.best.loss, raw.best.loss)
    axes.annotate(raw.cell.data, point, xytext=place, textcoords="offset points", fontsize=9, ha=side)


def rates(findings: Findings) -> str:
    """Figure 3: the range of the best learning rates of each rule, over the data sets; faint if here in part."""
    groups = [(rule, scaling) for rule, scaling in _groups(findings)]
    figure, axes = drawing.panels(size=(8, 0.9 + 0.5 * len(groups)))
    for place, (rule, scaling) in enumerate(groups):
        results = [each for each in findings.results if each.cell.rule == rule and each.cell.scaling == scaling]
        whole = [each.best.rate for each in results if each.whole]
        if whole:
            axes.plot([min(whole), max(whole)], [place, place], color=COLOURS[rule], linewidth=10, alpha=LIGHT)
        for each in results:
            alpha = 1.0 if each.whole else LIGHT
            axes.plot(each.best.rate, place, "|", color=COLOURS[rule], alpha=alpha, markersize=16, markeredgewidth=2)
    axes.set_yticks(range(len(groups)), [f"{rule}, {scaling}" for rule, scaling in groups])
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="best learning rate in hindsight, a mark a data set")
    return drawing.finished_svg(figure, [axes], legend=False)


def curves(findings: Findings) -> str:
    """The loss over the learning rate, a panel a data set."""
    names = [each.name for each in findings.sizes if any(r.cell.data == each.name for r in findings.results)]
    columns = min(3, len(names))
    lines = -(-len(names) // columns)
    figure, panels = drawing.panels(lines, columns, size=(3.6 * columns, 3.0 * lines + 0.5), squeeze=False)
    styles = {RAW: "-", MAX_NORM: "--", SQUARE_NORM: ":"}
    for axes, name in zip(panels.flat, names, strict=False):
        for each in findings.results:
            rule, scaling = each.cell.rule, each.cell.scaling
            if each.cell.data == name and (scaling == RAW or rule == "ag"):
                label = f"{rule}, {scaling}"
                axes.plot(
                    each.losses.rates,
                    each.losses.losses,
                    styles[scaling],
                    color=COLOURS[rule],
                    linewidth=1.4,
                    label=label,
                )
        axes.set(xscale="log")
        axes.tick_params(labelsize=8)
        axes.set_title(name, loc="left", fontsize=10)
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel("learning rate", fontsize=10)
    figure.supylabel("progressive loss", fontsize=10)
    return drawing.finished_svg(figure, panels.flat, legend=False)


def _raw(findings: Findings) -> Iterable[Result]:
    return (each for each in findings.results if each.cell.scaling == RAW)


def _groups(findings: Findings) -> list[tuple[str, str]]:
    """The rules and scalings of all results, normalised rules first."""
    found = dict.fromkeys((each.cell.rule, each.cell.scaling) for each in findings.results)
    return sorted(found, key=lambda group: (group[0] == "ag", group[0]))
