"""`unscaled tune`: one pass over files, in which rules, losses, interactions and rates learn side by side."""

import json
import time
import warnings
from typing import Any

import click

from unscaled.cli.hyperparameters import (
    completes,
    given_options,
    shared_hyperparameters,
    tried_interactions,
    tried_rates,
)
from unscaled.cli.rows import BAD_ROWS, FILES, FORMAT, IGNORED, JSON, TARGET, WEIGHT, refuse_nothing
from unscaled.cli.stopping import hear_every_signal
from unscaled.losses import LOSSES
from unscaled.rules import RULES


def _metric_names(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from unscaled.tuning.metrics import METRICS, OWN_LOSS

    names = dict.fromkeys([*(name for known in METRICS.values() for name in known), OWN_LOSS])
    return [name for name in names if name.startswith(typed)]


@click.command()
@FILES
@TARGET
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    shell_complete=completes(RULES),
    help=f"An update rule to try: {', '.join(RULES)}.  [default: auto, nag and snag]",
)
@click.option(
    "--loss",
    "losses",
    multiple=True,
    metavar="LOSS",
    shell_complete=completes(LOSSES),
    help=f"A loss to try: {', '.join(LOSSES)}; parameters in parentheses, as in quantile(0.9).  [default: logistic "
    "for classes, squared for numbers]",
)
@click.option(
    "--interactions",
    "orders",
    multiple=True,
    metavar="1|2|3|A:B,…",
    help="Interactions to try: none (1), products of two columns (2), also of three (3), or pairs of column patterns, "
    "as job:*,age:city.  [default: 1]",
)
@click.option(
    "--rates",
    metavar="LOW:HIGH:COUNT|RATE,…",
    help="The learning rates to try.  [default: 0.01 to 30; for sgd and ag, whose best rate depends on the units of "
    "the columns, 1e-9 to 300]",
)
@click.option(
    "--metric",
    metavar="NAME",
    shell_complete=_metric_names,
    help="What decides: mse, rmse, mae or r2 for numbers; error, log_loss or auc for classes; or loss, if all learn "
    "with the same one.  [default: mse, or the loss if it is the only one; log_loss, or error if a loss such as hinge "
    "says no probabilities]",
)
@click.option("--model", metavar="OUT", type=click.Path(dir_okay=False), help="Write the winner's model here.")
@click.option(
    "--plot",
    metavar="OUT",
    type=click.Path(dir_okay=False),
    help="Draw the metric over the learning rate: .png, .svg, .pdf, or .html for a page with all numbers.",
)
@WEIGHT
@IGNORED
@BAD_ROWS
@FORMAT
@JSON
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show how the candidates stand, and a bar; by default on a terminal only.",
)
@shared_hyperparameters
def tune(files: tuple[str, ...], **given: Any) -> None:
    """Try rules, losses, interactions and learning rates on FILE... in one pass, and write the best model.

    There is a candidate for each rule, loss and kind of interactions, and each learns at all rates at once. Every row
    is read once, and predicted by all before they learn from it: what they are compared by is honest. The winner has
    learned all rows: its model predicts, and `unscaled train --resume` goes on with it.

    \b
      unscaled tune bank.csv --target y --model bank.model
      unscaled tune bank.csv --target y --interactions 1 --interactions 2 --plot rates.html
      unscaled tune rides.parquet --target minutes --loss huber --loss absolute --metric mae
    """
    from unscaled.cli.standings import Board
    from unscaled.sources import open_stream
    from unscaled.training import Training

    began = time.perf_counter()
    hear_every_signal()
    _check(files, given)
    stream = open_stream(files, format=given["file_format"], bad_rows=given["bad_rows"])
    with stream:
        contest, roles = _prepare(stream, given)
        training = Training(contest.first, roles, contest)
        board = Board(training, contest, quiet=given["in_json"], wanted=given["progress"])
        with board:
            _run(training, stream, board)
    refuse_nothing(stream.skipped, contest.first.examples)
    tuned = contest.outcome()
    if given["model"]:
        tuned.save(given["model"])
    if given["plot"]:
        tuned.plot(given["plot"])
    summary = _summary(training, tuned, stream.skipped, time.perf_counter() - began, given)
    if given["in_json"]:
        click.echo(json.dumps(summary))
    else:
        board.conclude(tuned, summary)


def _check(files: tuple[str, ...], given: dict[str, Any]) -> None:
    """What can be refused before any row is read."""
    from unscaled.cli.writing import refuse_to_overwrite
    from unscaled.drawing import check_drawing, check_suffix
    from unscaled.tuning.chart import SUFFIXES

    if given["model"]:
        refuse_to_overwrite(given["model"], "--model", files)
    if given["plot"]:
        check_suffix(given["plot"], "--plot", SUFFIXES)
        check_drawing("--plot")
        refuse_to_overwrite(given["plot"], "--plot", files)


def _prepare(stream: Any, given: dict[str, Any]) -> tuple[Any, Any]:
    """The candidates and the roles of the columns."""
    from unscaled.options import named
    from unscaled.training import Roles, learns_classes, numbers_taken_for_text
    from unscaled.tuning import Contest
    from unscaled.tuning.candidates import DEFAULT_RULES

    options = given_options(given)
    losses = [named("loss", each, LOSSES) for each in given["losses"]]
    tried = {
        "rules": given["rules"] or DEFAULT_RULES,
        "losses": losses or None,
        "interactions": tried_interactions(given["orders"]) or 1,
        "learning_rates": None if given["rates"] is None else tried_rates(given["rates"]),
        "metric": given["metric"],
    }
    roles = Roles.of(stream, given["targets"], given["weight"], given["ignored"])
    for note in numbers_taken_for_text(stream, roles):
        warnings.warn(note, stacklevel=2)
    if "classes" not in options and learns_classes(losses, stream, roles):
        options["classes"] = "auto"
    contest = Contest(**tried, **options)
    for each in contest.candidates:
        each.learner.attached["roles"] = roles.described()
    return contest, roles


def _run(training: Any, stream: Any, board: Any) -> None:
    from unscaled.cli.checkpoints import Checkpoints

    watch = Checkpoints(training, None, None)  # nothing is saved on the way, but a signal is heeded between rows

    def at_stop() -> None:
        board.at_stop()
        watch.at_stop()

    with watch:
        board.follow(stream)
        training.run(stream, stops=board.next_stop, at_stop=at_stop)


def _summary(training: Any, tuned: Any, skipped: Any, seconds: float, given: dict[str, Any]) -> dict[str, Any]:
    from unscaled.cli.reporting import as_json

    return {
        "examples": tuned.best.examples,
        "features": tuned.best.features,
        "metric": tuned.metric,
        "best": as_json(tuned.best_row),
        "options": tuned.best.options.described(),
        "candidates": as_json(tuned.table.to_pylist()),
        "notes": list(tuned.notes),
        "seconds": round(seconds, 3),
        "rows": training.rows,
        "skipped": skipped.count,
        "skipped_first": skipped.examples,
        "targets": list(training.roles.targets),
        "classes": tuned.best.classes,
        "model": given["model"],
        "plot": given["plot"],
    }
