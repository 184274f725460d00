"""`unscaled train`: one pass over files, honest progress on the way, a model at the end."""

import json
import time
import warnings
from typing import Any

import click

from unscaled.cli.hyperparameters import given_options, hyperparameters
from unscaled.cli.reporting import as_json
from unscaled.cli.rows import BAD_ROWS, FILES, FORMAT, IGNORED, JSON, STDIN, TARGET, WEIGHT, refuse_nothing
from unscaled.cli.stopping import hear_every_signal
from unscaled.errors import UsageError


@click.command()
@FILES
@TARGET
@click.option("--model", metavar="OUT", type=click.Path(dir_okay=False), help="Write the model here.")
@click.option(
    "--resume", metavar="MODEL", type=click.Path(dir_okay=False), help="Learn on from this model, to the bit."
)
@WEIGHT
@IGNORED
@click.option(
    "--passes",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Go over the files so many times; the metrics are of the first.",
)
@click.option(
    "--skip",
    default=0,
    type=click.IntRange(min=0),
    metavar="N",
    help="Pass over the first N rows, as a run that was interrupted says; over all passes.",
)
@click.option(
    "--checkpoint-every",
    type=click.IntRange(min=1),
    metavar="N",
    help="Save the model after every N examples, and when interrupted.",
)
@BAD_ROWS
@FORMAT
@JSON
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show a table at doubling counts and a bar; by default on a terminal only.",
)
@hyperparameters
def train(files: tuple[str, ...], **given: Any) -> None:
    """Learn from FILE... in one pass and write a model.

    Numbers, dates, text, categories and lists are features as they are; missing values are absent. If the target is
    text, its values are classes and the loss is logistic; else it is a number and the loss is squared.

    Every row is predicted before it is learned from: the loss and the metrics are those of these predictions.

    \b
      unscaled train bank.csv --target y --model bank.model
      unscaled train rides/*.parquet --target minutes --loss absolute --weight trips
      zcat clicks.vw.gz | unscaled train - --loss logistic --hash-bits 22 --interactions user:ad
      unscaled train part2.csv --target y --resume bank.model --model bank.model
    """
    from unscaled.cli.reporting import Reporter
    from unscaled.cli.writing import refuse_to_overwrite
    from unscaled.sources import open_stream
    from unscaled.training import Training

    began = time.perf_counter()
    hear_every_signal()
    _check(files, given)
    if given["model"]:
        refuse_to_overwrite(given["model"], "--model", files)
    stream = open_stream(files, format=given["file_format"], bad_rows=given["bad_rows"])
    with stream:
        if given["passes"] > 1 and stream.fraction() is None:
            raise UsageError("--passes: a pipe can be read only once; save what it gives in a file first")
        learner, roles = _prepare(stream, given)
        training = Training(learner, roles)
        reporter = Reporter(training, quiet=given["in_json"], wanted=given["progress"])
        with reporter:
            skipped = _run(training, stream, files, given, reporter)
    refuse_nothing(skipped, learner.examples)
    if given["model"]:
        training.progressive.save(given["model"])
    summary = _summary(training, skipped, time.perf_counter() - began, given["model"])
    if given["in_json"]:
        click.echo(json.dumps(summary))
    else:
        reporter.conclude(summary)


def _check(files: tuple[str, ...], given: dict[str, Any]) -> None:
    if given["passes"] > 1 and STDIN in files:
        raise UsageError("--passes: standard input can be read only once")
    if given["checkpoint_every"] and not given["model"]:
        raise UsageError("--checkpoint-every needs --model, the file to save to")
    if given["resume"]:
        fixed = given_options(given)
        if fixed:
            flags = ", ".join(f"--{name.replace('_', '-')}" for name in fixed)
            raise UsageError(f"{flags}: a resumed model keeps its options; leave this out")


def _prepare(stream: Any, given: dict[str, Any]) -> tuple[Any, Any]:
    """The learner, new or resumed, and the roles of the columns."""
    from unscaled.learner import Learner, load
    from unscaled.training import Roles, learns_classes, numbers_taken_for_text

    options = given_options(given)
    if given["resume"]:
        learner = load(given["resume"])
        kept = learner.attached.get("roles", {})
        targets = given["targets"] or kept.get("targets", ())
        weight = given["weight"] or kept.get("weight")
        ignored = given["ignored"] or [name for name in kept.get("ignored", ()) if name in stream.column_names()]
        return learner, Roles.of(stream, targets, weight, ignored)
    roles = Roles.of(stream, given["targets"], given["weight"], given["ignored"])
    if options.get("classes") and len(roles.targets) > 1:
        listed = ", ".join(roles.targets)
        raise UsageError(
            f"--classes: {listed} are several targets, which are numbers; name one target or leave this out"
        )
    learner = Learner(**options)
    for note in numbers_taken_for_text(stream, roles):
        warnings.warn(note, stacklevel=2)
    losses = [learner.options.loss] if "loss" in options else []
    if "classes" not in options and learns_classes(losses, stream, roles):
        options["classes"] = "auto"
    if options.get("classes") and "loss" not in options:
        options["loss"] = "logistic"
    learner = Learner(**options)
    learner.attached["roles"] = roles.described()
    return learner, roles


def _run(training: Any, stream: Any, files: tuple[str, ...], given: dict[str, Any], reporter: Any) -> Any:
    """All passes; the rows that were skipped in the first."""
    from unscaled.cli.checkpoints import Checkpoints
    from unscaled.sources import open_stream

    checkpoints = Checkpoints(training, given["model"], given["checkpoint_every"])

    def stops(examples: int) -> int:
        return min(reporter.next_stop(examples), checkpoints.next_stop(examples))

    def at_stop() -> None:
        reporter.at_stop()
        checkpoints.at_stop()

    with checkpoints:
        reporter.follow(stream, 1, given["passes"])
        skip = training.run(stream, skip=given["skip"], stops=stops, at_stop=at_stop)
        reporter.last_line()
        for number in range(2, given["passes"] + 1):
            with open_stream(files, format=given["file_format"], bad_rows=given["bad_rows"]) as again:
                reporter.follow(again, number, given["passes"])
                skip = training.run(again, first_pass=False, skip=skip, stops=checkpoints.next_stop, at_stop=at_stop)
    if skip:
        raise UsageError(f"--skip {given['skip']}: there are no more than {training.rows:,} rows")
    return stream.skipped


def _summary(training: Any, skipped: Any, seconds: float, model: str | None) -> dict[str, Any]:
    learner = training.learner
    return {
        "examples": learner.examples,
        "features": learner.features,
        "progressive_loss": as_json(learner.progressive_loss),
        "metrics": as_json(training.progressive.metrics()),
        "interval_coverage": {f"{level:g}": share for level, share in learner.interval_coverage.items()},
        "drift": training.progressive.drift.report(),
        "seconds": round(seconds, 3),
        "rows": training.rows,
        "skipped": skipped.count,
        "skipped_first": skipped.examples,
        "targets": list(training.roles.targets),
        "classes": learner.classes,
        "options": learner.options.described(),
        "model": model,
    }
