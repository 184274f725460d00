"""`unscaled predict`: a model's predictions for the rows of files, in their order."""

import sys
from typing import Any

import click

from unscaled.cli.hyperparameters import complete_formats
from unscaled.cli.stopping import hear_every_signal
from unscaled.errors import UsageError


@click.command()
@click.argument("model", type=click.Path(dir_okay=False), metavar="MODEL")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--output",
    default="-",
    metavar="OUT",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write here, as .csv, .parquet, .arrow or .jsonl; by default CSV to standard output.",
)
@click.option("--keep", multiple=True, metavar="COL", help="A column to copy to the output, such as an identifier.")
@click.option("--raw", is_flag=True, help="Raw scores instead of classes, probabilities and rates.")
@click.option(
    "--interval",
    type=float,
    metavar="SHARE",
    help="Columns low and high that hold the label with this chance, such as 0.9; for predicted numbers.",
)
@click.option(
    "--bad-rows",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="Whether a row that cannot be read ends the run or is left out.",
)
@click.option(
    "--format",
    "file_format",
    metavar="NAME",
    shell_complete=complete_formats,
    help="csv, tsv, parquet, arrow, jsonl, svmlight or vw; by default told from the files.",
)
def predict(model: str, files: tuple[str, ...], output: str, keep: tuple[str, ...], raw: bool, **given: Any) -> None:
    """Predict the rows of FILE... with the model in MODEL.

    The output has a row a row: `prediction`, and for classes a `probability[class]` each if the loss says them. A
    value beyond all that was seen in training counts as the largest one seen. `--interval 0.9` adds `low` and `high`.

    \b
      unscaled predict bank.model new.csv --output scored.csv --keep id
      cat new.jsonl | unscaled predict bank.model - | head
    """
    from unscaled.cli.writing import open_writer, refuse_to_overwrite
    from unscaled.learner import load
    from unscaled.predicting import predicted_table
    from unscaled.sources import open_stream

    hear_every_signal()
    if raw and given["interval"] is not None:
        raise UsageError("--interval: raw scores have no intervals; leave --raw out")
    if output != "-":
        refuse_to_overwrite(output, "--output", [model, *files])
    learner = load(model)
    stream = open_stream(files, format=given["file_format"], bad_rows=given["bad_rows"])
    with stream, open_writer(output) as writer:
        for batch in stream:
            writer.write(predicted_table(learner, stream, batch, keep, raw, given["interval"]))
    if stream.skipped.count:
        click.echo(f"unscaled: skipped {stream.skipped.count:,} bad rows, of which the first:", err=True)
        for message in stream.skipped.examples:
            click.echo(f"  {message}", err=True)
    sys.stdout.flush()
