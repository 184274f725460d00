"""Bad input is told of in one line: where, what, and what to do. An existing model is never touched by it."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unscaled.errors import DataError

from .conftest import classes_csv, complaint, good, numbers_csv, run, write

USAGE, DATA = 2, 1
MEND = "mend it or skip such rows with --bad-rows skip"
MEND_ROW = "mend the row or skip such rows with --bad-rows skip"
LEAVE_OUT = "mend the value or leave it out, or skip such rows with --bad-rows skip"

Untouched = Callable[[str], Path]


def rows_with(x: str, y: str) -> str:
    return f"x,y\n1,2\n{x},{y}\n3,4\n"


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ("b.csv", DATA, "no such file: b.csv; did you mean a.csv?"),
        ("nowhere/b.csv", DATA, "no such file: nowhere/b.csv (there is no folder nowhere)"),
        ("'*.parquet'", DATA, "no file matches *.parquet"),
        ("a.csv b.csv", DATA, "no such file: b.csv; did you mean a.csv?"),
        ("empty.csv", DATA, "empty.csv is empty"),
        ("a.csv empty.csv", DATA, "empty.csv is empty"),
        ("header.csv", DATA, "header.csv has a header but no rows"),
        ("a.csv header.csv", DATA, "header.csv has a header but no rows"),
        ("a.csv v.vw", USAGE, "a.csv is csv and v.vw is vw; read one format at a time, or name the format of all "
         "with --format"),
        ("- -", USAGE, "standard input (-) is given more than once; it can be read only once"),
        ("-", DATA, "standard input is empty"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["train --target y --model old.model", "predict old.model --output old.csv"])
def test_files(command: str, files: str, code: int, said: str, untouched: Untouched) -> None:
    numbers_csv()
    untouched("old.model")
    write("empty.csv", "")
    write("header.csv", "x,t,y\n")
    write("v.vw", "1 | a\n")
    assert complaint(f"{command} {files}", code) == said
    assert not Path("old.csv").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "which column is to be predicted? Name it with --target; there are x, t, y"),
        ("--target Y", "--target: no column 'Y'; did you mean 'y'?"),
        ("--target label", "--target: no column 'label'; there are x, t, y"),
        ("--target yy", "--target: no column 'yy'; did you mean 'y'?"),
        ("--target y --weight w", "--weight: no column 'w'; there are x, t, y"),
        ("--target y --ignore id", "--ignore: no column 'id'; there are x, t, y"),
        ("--target y --target y", "--target: y, y names a column twice"),
        ("--target y --weight y", "--weight: 'y' is the target; name another column"),
        ("--target y --ignore y", "--ignore: 'y' is the target; name another column"),
        ("--target y --target x --classes auto",
         "--classes: y, x are several targets, which are numbers; name one target or leave this out"),
        ("--target y --skip 51", "--skip 51: there are no more than 50 rows"),
        ("--target y --skip 101 --passes 2", "--skip 101: there are no more than 100 rows"),
        ("--target y --checkpoint-every 5", "--checkpoint-every needs --model, the file to save to"),
        ("--target y --loss 'quantile(a)'", "cannot read loss 'quantile(a)': quantile takes tau"),
        ("--target y --rule foo", "unknown rule 'foo'; there are auto, newton, sgd, ag, ng, nag, snag"),
        ("--target y --learning-rate fast", "--learning-rate: 'fast' is not a number"),
        ("--target y --learning-rate 0.5,", "--learning-rate: '' is not a number"),
        ("--target y --clip 1,x", "--clip: 'x' is not a number"),
        ("--target y --hash-bits many", "--hash-bits: 'many' is not a whole number"),
        ("--target y --interactions a:b:c",
         "--interactions: give 1, 2, 3, or pairs such as job:* (got a:b:c)"),
        ("--target y --classes a,b --loss poisson",
         "classes cannot be learned with a loss for counts; take logistic, hinge or squared"),
        ("--target y --resume old.model --rule ng", "--rule: a resumed model keeps its options; leave this out"),
        ("--target y --resume old.model --l2 1 --classes a,b",
         "--l2, --classes: a resumed model keeps its options; leave this out"),
    ],
)  # fmt: skip
def test_usage(options: str, said: str, untouched: Untouched) -> None:
    untouched("old.model")
    numbers_csv()
    model = "" if "checkpoint" in options else "--model old.model"
    assert complaint(f"train a.csv {model} {options}", USAGE) == said


@pytest.mark.parametrize("kind", ["jsonl", "vw", "svmlight"])
def test_no_such_target_where_rows_name_their_columns(kind: str) -> None:
    lines = {"jsonl": '{"y": 1, "x": 2}\n', "vw": "1 |x a\n", "svmlight": "1 1:2\n"}[kind]
    said = complaint("train - --target yy", USAGE, stdin=lines.encode() * 3)
    there = {"jsonl": "did you mean 'y'?", "vw": "there are label, weight, tag, x", "svmlight": "there are label"}
    assert said.startswith(f"--target: no column 'yy'; {there[kind]}")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--passes 0", "'--passes': 0 is not in the range x>=1"),
        ("--passes many", "'--passes': 'many' is not a valid integer"),
        ("--skip -1", "'--skip': -1 is not in the range x>=0"),
        ("--checkpoint-every 0", "'--checkpoint-every': 0 is not in the range x>=1"),
        ("--bad-rows keep", "'--bad-rows': 'keep' is not one of 'stop', 'skip'"),
        ("--modle m", "No such option '--modle'"),
    ],
)
def test_usage_that_click_finds(options: str, said: str) -> None:
    numbers_csv()
    result = run(f"train a.csv --target y {options}")
    assert (result.code, result.out) == (USAGE, "")
    assert said in result.err
    assert "unscaled train --help" in result.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (rows_with("2", ""), f'b.csv:3: column "y": the label is missing; {MEND}'),
        (rows_with("2", "nan"), f'b.csv:3: column "y": the label is missing; {MEND}'),
        (rows_with("2", "inf"), f'b.csv:3: column "y": label inf is infinite; {MEND}'),
        (rows_with("2", "-inf"), f'b.csv:3: column "y": label -inf is infinite; {MEND}'),
        (rows_with("2", "1e400"), f'b.csv:3: column "y": label inf is infinite; {MEND}'),
        (rows_with("2", "-1e400"), f'b.csv:3: column "y": label -inf is infinite; {MEND}'),
        (rows_with("2", "1e300"), f'b.csv:3: column "y": label 1e+300 is beyond ±1e+100; take larger units; {MEND}'),
        (rows_with("2", "two"), "b.csv:3: column \"y\": label 'two' is not a number; mend it, skip such rows with "
         "--bad-rows skip, or learn classes with --classes auto"),
        (rows_with("inf", "2"), f"b.csv:3: x is infinite; {LEAVE_OUT}"),
        (rows_with("-inf", "2"), f"b.csv:3: x is infinite; {LEAVE_OUT}"),
        (rows_with("1e400", "2"), f"b.csv:3: x is infinite; {LEAVE_OUT}"),
        ("x,y\n1,2\n2\n3,4\n", f"b.csv:3: 1 cell where the header has 2; {MEND_ROW}"),
        ("x,y\n1,2\n2,3,4\n3,4\n", f"b.csv:3: 3 cells where the header has 2; {MEND_ROW}"),
        (b"x,y\n1,2\n\xff,3\n3,4\n", 'b.csv:3: column "x" is not UTF-8; save the file as UTF-8 or skip such rows '
         "with --bad-rows skip"),
        ("x,y\n1,2\n\0,3\n3,4\n", 'b.csv:3: column "x" holds a NUL byte; mend the file or skip such rows with '
         "--bad-rows skip"),
        ('x,y\n1,2\n3,4\n"5,6\n', "b.csv:4: the quote opened here is never closed; mend the row or skip such rows "
         "with --bad-rows skip"),
    ],
)  # fmt: skip
def test_bad_rows(content: str | bytes, said: str, untouched: Untouched) -> None:
    write("b.csv", content)
    untouched("old.model")
    assert complaint("train b.csv --target y --model old.model", DATA) == said
    told = good("train b.csv --target y --bad-rows skip --json --model new.model").json
    assert (told["examples"], told["skipped"], told["skipped_first"]) == (2, 1, [said])
    shown = good("train b.csv --target y --bad-rows skip").out
    assert f"skipped 1 bad rows, of which the first:\n  {said}\n" in shown
    sound = [line for line in (b"1,2", b"3,4") if line in Path("b.csv").read_bytes()]
    write("sound.csv", b"\n".join([b"x,y", *sound]))
    assert good("train sound.csv --target y --json").json["metrics"] == told["metrics"]


def test_missing_features_are_no_error() -> None:
    for cell in ("", "nan", "NA"):
        write("b.csv", rows_with(cell, "3"))
        assert good("train b.csv --target y --json").json["examples"] == 3


@pytest.mark.parametrize(
    ("options", "label", "said"),
    [
        ("--loss poisson", "-1", "label -1 is negative; a count cannot be"),
        ("--loss logistic --target z", "0", "label 0 is neither -1 nor +1"),
        ("--classes 2,4", "3", "class '3' was not among those given; there are 2, 4"),
        ("--classes auto", "", "the class is missing"),
    ],
)
def test_labels_that_the_loss_cannot_take(options: str, label: str, said: str) -> None:
    write("b.csv", f"x,y,z\n1,2,1\n2,{label},1\n3,4,-1\n" if "z" not in options else "x,y,z\n1,1,1\n2,0,1\n3,-1,1\n")
    column = '"y", "z"' if "z" in options else '"y"'
    assert complaint(f"train b.csv --target y {options}", DATA) == f"b.csv:3: column {column}: {said}; {MEND}"
    told = good(f"train b.csv --target y {options} --bad-rows skip --json").json
    assert (told["examples"], told["skipped"]) == (2, 1)


@pytest.mark.parametrize(
    ("weight", "said"),
    [("-1", "-1.0"), ("nan", "None"), ("", "None"), ("inf", "inf"), ("1e400", "inf"), ("two", "'two'")],
)
def test_weights(weight: str, said: str) -> None:
    write("b.csv", f"x,w,y\n1,1,2\n2,{weight},3\n3,1,4\n")
    wrong = f'b.csv:3: column "w": a weight is a finite number of at least 0, not {said}; {MEND}'
    assert complaint("train b.csv --target y --weight w", DATA) == wrong
    told = good("train b.csv --target y --weight w --bad-rows skip --json").json
    assert (told["examples"], told["skipped_first"]) == (2, [wrong])


@pytest.mark.parametrize("target", ["y", "k"])
def test_a_row_that_is_bad_twice_counts_once_and_rows_are_told_in_order(target: str) -> None:
    write("b.csv", "x,w,y,k\n1,1,2,a\ninf,-1,two,\n3,1,4,b\ninf,1,,\n4,-1,3,c\n5,1,,\n6,1,5,a\n")
    told = good(f"train b.csv --target {target} --weight w --bad-rows skip --json --ignore {'yk'[target == 'y']}").json
    assert (told["examples"], told["skipped"]) == (3, 4)
    assert [message.split(": ")[0] for message in told["skipped_first"]] == [f"b.csv:{line}" for line in (3, 5, 6, 7)]
    if target == "k":
        assert told["classes"] == ["a", "b"]  # a bad row makes no class known


def test_only_the_first_bad_rows_are_kept_and_all_are_counted() -> None:
    write("b.csv", "x,y\n" + "1,2\n1,\n" * 1000)
    told = good("train b.csv --target y --bad-rows skip --json").json
    assert (told["examples"], told["skipped"], len(told["skipped_first"])) == (1000, 1000, 5)


def test_no_good_row_is_an_error(untouched: Untouched) -> None:
    untouched("old.model")
    write("b.csv", "x,y\n1,\n2,nan\n")
    said = complaint("train b.csv --target y --bad-rows skip --model old.model", DATA)
    assert said == f'no row was good; the first of 2: b.csv:2: column "y": the label is missing; {MEND}'


def test_text_as_a_regression_label() -> None:
    classes_csv()
    said = complaint("train c.csv --target k --loss squared", DATA)
    assert said.startswith("c.csv:2: column \"k\": label 'no' is not a number; mend it, skip such rows")


def test_a_column_of_numbers_that_turns_into_text_in_a_late_row(untouched: Untouched) -> None:
    untouched("old.model")
    many = "".join(f"{i},{i}\n" for i in range(400_000))  # beyond the first block of the file
    write("b.csv", f"x,y\n{many}1,two\n2,3\n")
    said = complaint("train b.csv --target y --model old.model", DATA)
    assert said.startswith("b.csv:400002: column \"y\": label 'two' is not a number; ")
    write("b.csv", f"y,x\n{many}1,two\n2,3\n")
    told = good("train b.csv --target y --json --model m").json
    assert (told["examples"], told["features"]) == (400_002, 2)  # x and x=two


def test_a_few_cells_of_text_that_turn_a_column_of_numbers_into_categories() -> None:
    note = (
        'unscaled: note: column "x" holds text among its numbers, {}: each of its values is a category now; '
        "mend the text, or leave the column out with --ignore\n"
    )
    write("a.csv", "x,y\n" + "".join(f"{i},{i}\n" for i in range(300)) + "oops,5\n")
    result = good("train a.csv --target y --json")
    assert (result.err, result.json["features"]) == (note.format("such as 'oops'"), 301)
    assert good("train a.csv --target y --ignore x").err == ""
    write("a.csv", "x,y\n" + "".join(f"{i},{i}\n" for i in range(9000)) + "oops,5\n")
    assert good("train a.csv --target y").err.startswith(note.partition(",")[0])
    write("a.csv", "x,y\n" + "".join(f"{'size' * (i % 2)}{i},{i}\n" for i in range(300)))
    assert good("train a.csv --target y").err == ""
    write("a.csv", "x,y\n" + "".join(f"{i},{i}\n" for i in range(300)))
    assert good("train a.csv --target y").err == ""
    texts = pa.array([str(i) for i in range(300)])
    pq.write_table(pa.table({"x": texts, "y": np.arange(300.0)}), "a.parquet")
    assert good("train a.parquet --target y").err == ""  # text on purpose


def test_a_truncated_parquet_file(untouched: Untouched) -> None:
    untouched("old.model")
    pq.write_table(pa.table({"x": np.arange(1000.0), "y": np.arange(1000.0)}), "a.parquet")
    path = Path("a.parquet")
    for part in (0.1, 0.5, 0.99):
        write("b.parquet", path.read_bytes()[: int(part * path.stat().st_size)])
        said = complaint("train b.parquet --target y --model old.model", DATA)
        assert said.startswith("b.parquet: not a readable Parquet file (")
        assert said.endswith("); write it anew or name its format with --format")


def test_a_column_that_nothing_can_be_made_of() -> None:
    pq.write_table(pa.table({"s": [{"a": 1}], "y": [1.0]}), "a.parquet")
    said = complaint("train a.parquet --target y", DATA)
    assert said.startswith("a.parquet row 1: column 's': columns of type struct<")
    assert said.endswith("turn it into numbers, text or lists of these")
    no_label = 'column "s": a target must hold numbers, text or truth values, not struct<a: int64>'
    assert complaint("train a.parquet --target s", DATA) == no_label
    assert complaint("train a.parquet --target s --loss squared", DATA) == f"a.parquet row 1: {no_label}"
    assert complaint("train a.parquet --target s --classes auto", DATA) == f"a.parquet row 1: {no_label}"
    assert complaint("train a.parquet --target y --target s", DATA) == f"a.parquet row 1: {no_label}"
    assert good("train a.parquet --target y --ignore s --json").json["examples"] == 1


def test_lists_are_no_labels_and_no_weights() -> None:
    pq.write_table(pa.table({"l": [[1.0], [2.0]], "y": [1.0, 2.0]}), "a.parquet")
    for options in ("", "--loss squared", "--classes auto"):
        assert complaint(f"train a.parquet --target l {options}", DATA).endswith("not list<element: double>")
    said = complaint("train a.parquet --target y --weight l", DATA)
    assert said == 'a.parquet row 1: column "l": weights are numbers, not list<element: double>'


def test_a_model_asked_about_data_without_its_columns() -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    write("b.csv", "tt,x\na,1\n")
    said = complaint("predict m b.csv", DATA)
    assert said == "b.csv:2: no column 't', which the model was trained with; did you mean 'tt'?"
    said = complaint("train b.csv --target x --resume m", DATA)
    assert said.startswith("b.csv:2: no column ")
    assert run("train b.csv --resume m").err == "unscaled: --target: no column 'y'; there are tt, x\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--model nowhere/m", "cannot write nowhere/m: there is no folder {folder}/nowhere"),
        ("--model /dev/full", "cannot write the model /dev/full: No space left on device"),
    ],
)
def test_models_that_cannot_be_written(options: str, said: str, folder: Path) -> None:
    numbers_csv()
    assert complaint(f"train a.csv --target y {options}", DATA) == said.format(folder=folder)


def test_the_folder_of_the_model_is_looked_at_first() -> None:
    assert complaint("train no.csv --target y --model nowhere/m", DATA).startswith("cannot write nowhere/m: there is")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to() -> None:
    numbers_csv()
    Path("locked").mkdir()
    Path("locked").chmod(0o500)
    assert complaint("train a.csv --target y --model locked/m", DATA) == "cannot write locked/m: Permission denied"


def test_a_folder_as_a_model() -> None:
    numbers_csv()
    Path("sub").mkdir()
    result = run("train a.csv --target y --model sub")
    assert result.code == USAGE
    assert "'sub' is a directory" in result.err


@pytest.mark.parametrize("line", ["train a.csv --target y --model {}", "predict old.model a.csv --output {}"])
@pytest.mark.parametrize("other", ["a.csv", "./a.csv", "link.csv"])
def test_an_output_is_no_input(line: str, other: str, untouched: Untouched) -> None:
    untouched("old.model")
    content = numbers_csv().read_bytes()
    Path("link.csv").symlink_to("a.csv")
    said = complaint(line.format(other), USAGE)
    assert said.endswith(f" {other}: this file is read from; give another name")
    assert Path("a.csv").read_bytes() == content


def test_a_failed_save_leaves_the_old_model(untouched: Untouched, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers_csv()
    untouched("old.model")

    def full(table: object, file: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("unscaled.modelfile.pq.write_table", full)
    said = complaint("train a.csv --target y --model old.model", DATA)
    assert said == "cannot write the model old.model: No space left on device"


def test_a_temporary_copy_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"x": [1.0], "y": [1.0]}), "a.parquet")

    def full() -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    said = complaint("train - --target y", DATA, stdin=Path("a.parquet").read_bytes())
    assert said == (
        "standard input: no temporary copy of it can be written (No space left on device); "
        "name another folder in TMPDIR"
    )


def test_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers_csv()

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("unscaled.training.Training._learn", exhausted)
    said = complaint("train a.csv --target y", DATA)
    assert said == "out of memory; --hash-bits bounds the size of a model"


def test_errors_are_errors_of_data_or_usage_only() -> None:
    """A program may rely on it: nothing but 0, 1, 2 and the codes of signals."""
    from unscaled import errors

    codes = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type)}
    assert codes == {USAGE, DATA}
    assert DataError.exit_code == DATA
