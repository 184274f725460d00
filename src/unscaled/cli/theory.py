"""`unscaled theory`: regret and its bounds over time against an adversary, in several units."""

import json
from typing import TYPE_CHECKING, Any

import click

from unscaled.cli.reporting import as_json

if TYPE_CHECKING:
    from unscaled.theory.curves import Curves

HEADINGS = ("algorithm", "regret", "rescaled", "bound", "difference")


def _complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from unscaled.theory.adversaries import ADVERSARIES
    from unscaled.theory.losses import CONVEX

    names = ADVERSARIES if parameter.name == "adversary" else CONVEX
    return [name for name in names if name.startswith(typed)]


@click.command()
@click.option(
    "--adversary",
    default="linear",
    show_default=True,
    metavar="NAME",
    shell_complete=_complete,
    help="Who chooses: linear, signs, growing, rare, drifting, contrary, spiking.",
)
@click.option("--rounds", default=1000, show_default=True, type=click.IntRange(min=2), help="How many examples.")
@click.option("--features", default=5, show_default=True, type=click.IntRange(min=1), help="How many features.")
@click.option(
    "--loss",
    default="squared",
    show_default=True,
    metavar="NAME",
    shell_complete=_complete,
    help="squared, absolute, hinge, logistic.",
)
@click.option(
    "--rescale", default=12.0, show_default=True, metavar="POWER", type=float, help="Units differ by up to 10^±POWER."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Another game.")
@click.option(
    "--output", metavar="OUT", type=click.Path(dir_okay=False), help="Draw regret over time: .png, .svg or .pdf."
)
@click.option("--json", "in_json", is_flag=True, help="Print JSON, with the curves.")
def theory(
    adversary: str, rounds: int, features: int, loss: str, rescale: float, seed: int, output: str | None, in_json: bool
) -> None:
    """Play the paper's algorithms against an adversary, and show their regret and its bounds.

    The regret is the loss beyond that of the best predictor in hindsight whose output is bounded by 1. Every game is
    played again with all features smaller, all larger, and each in a unit of its own. The normalised algorithms do not
    notice; `ag` (AdaGrad) and `sgd` do.

    \b
      unscaled theory
      unscaled theory --adversary contrary --loss absolute --output regret.png
    """
    from unscaled.theory.curves import regret_curves

    if output is not None:
        from unscaled.cli.plotting import draw_regret
        from unscaled.drawing import check_suffix

        check_suffix(output, "--output")
    curves = regret_curves(adversary, loss, rounds, features, rescale, seed)
    if output is not None:
        title = f"Regret against the {adversary} adversary, {loss} loss; other units: up to 10^{rescale:g} either way"
        draw_regret(curves, f"{title}; a curve that ends has diverged", output)
    if in_json:
        asked = {"adversary": adversary, "loss": loss, "rounds": rounds, "features": features}
        told = {**asked, "rescale": rescale, "seed": seed, "times": curves.times, "algorithms": _described(curves)}
        click.echo(json.dumps(as_json(told)))
        return
    for line in _lines(curves):
        click.echo(line)
    if output is not None:
        click.echo(f"the chart is in {output}")


def _described(curves: "Curves") -> dict[str, Any]:
    return {
        name: {
            "regret": curve.regret,
            "rescaled": [other.regret.tolist() for other in curves.rescaled[name]],
            "bound": curve.bound,
            "difference": curves.difference(name),
        }
        for name, curve in curves.native.items()
    }


def _lines(curves: "Curves") -> list[str]:
    rows = [HEADINGS]
    for name, curve in curves.native.items():
        bound = "–" if curve.bound is None else f"{curve.bound[-1]:.4g}"
        difference = curves.difference(name)
        rows.append((name, f"{curve.regret[-1]:.4g}", f"{curves.worst(name):.4g}", bound, f"{difference:.1g}"))
    return [row[0].ljust(12) + "".join(cell.rjust(12) for cell in row[1:]) for row in rows]
