"""`unscaled inspect`: what a model has learned, as a table, as JSON, or as a bar chart."""

import json
from typing import Any

import click

from unscaled.cli.reporting import aligned, as_json, one_line

LARGEST_PLAIN = 1e15


@click.command()
@click.argument("model", type=click.Path(dir_okay=False), metavar="MODEL")
@click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="How many features to show.")
@click.option("--all", "everything", is_flag=True, help="Show all features.")
@click.option(
    "--plot",
    metavar="OUT",
    type=click.Path(dir_okay=False),
    help="Draw the effects as a bar chart: .png, .svg or .pdf.",
)
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
def inspect(model: str, top: int, everything: bool, plot: str | None, in_json: bool) -> None:
    """Show what the model in MODEL has learned, the strongest features first.

    The effect is |weight| * scale: how far the feature moves the prediction when it is as large as its scale. So
    effects can be compared whatever the units of the columns.

    MODEL is a Parquet table: pandas, polars and DuckDB open it too.
    """
    from unscaled.learner import load

    if plot is not None:
        from unscaled.cli.plotting import bars_of, draw_effects
        from unscaled.drawing import check_suffix

        check_suffix(plot, "--plot")
    learner = load(model)
    table = learner.weights()
    shown = table if everything else table.slice(0, top)
    if plot is not None:
        bars = bars_of(shown, learner.classes, len(learner.options.rates))
        draw_effects(bars, title=f"{model}: the strongest of {learner.features:,} features", path=plot)
    if in_json:
        click.echo(json.dumps(as_json({**_facts(learner), "weights": shown.to_pylist()})))
        return
    for name, value in _facts(learner).items():
        if value is not None:
            click.echo(f"{name:<18}{_fact(value)}")
    click.echo()
    for line in _lines(shown):
        click.echo(line)
    if shown.num_rows < table.num_rows:
        click.echo(f"… {table.num_rows - shown.num_rows:,} more; --all shows them")
    if plot is not None:
        click.echo(f"the chart is in {plot}")


def _facts(learner: Any) -> dict[str, Any]:
    described = learner.options.described()
    return {
        "rule": described["rule"],
        "loss": described["loss"],
        "learning rate": described["learning_rate"],
        "examples": learner.examples,
        "features": learner.features,
        "progressive loss": learner.progressive_loss,
        "classes": learner.classes,
        "target": ", ".join(learner.attached.get("roles", {}).get("targets", [])) or None,
    }


def _fact(value: Any) -> str:
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return f"{value:.6g}" if isinstance(value, float) else _text(value)
    return ", ".join(map(_fact, value))


def _lines(table: Any) -> list[str]:
    """A table in columns of text, numbers to the right."""
    names = [name for name in table.column_names if name not in ("column", "value")]
    return aligned([[name, *map(_text, table[name].to_pylist())] for name in names])


def _text(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:,.0f}" if cell.is_integer() and 10 <= abs(cell) < LARGEST_PLAIN else f"{cell:.4g}"
    return one_line(str(cell))
