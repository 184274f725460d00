"""One data set in all formats gives the same rows, however it is stored, found and cut into blocks."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from unscaled.sources import FORMATS, Format, format_names, open_stream

from .writing import COMPRESSORS, ROWS, TABLE, WRITERS, places, read, same_rows

every_format = pytest.mark.parametrize("known", FORMATS, ids=format_names())
TEXT_FORMATS = [known for known in FORMATS if known.name not in ("parquet", "arrow")]
every_text_format = pytest.mark.parametrize("known", TEXT_FORMATS, ids=lambda known: known.name)


def write(known: Format, path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    WRITERS[known.name](path)
    return path


@every_format
def test_every_suffix_gives_the_rows_in_order(known: Format) -> None:
    for suffix in known.suffixes:
        path = write(known, Path(f"data{suffix}"))
        with open_stream([path]) as stream:
            assert stream.format is known
            assert same_rows(list(stream)) == ROWS
            assert stream.fraction() == 1.0


@every_format
@pytest.mark.parametrize("batch_rows", [1, 4, 100])
def test_batches_are_no_longer_than_asked_for(known: Format, batch_rows: int) -> None:
    batches = read(write(known, Path(f"data{known.suffixes[0]}")), batch_rows=batch_rows)
    assert max(batch.table.num_rows for batch in batches) <= batch_rows
    assert same_rows(batches) == ROWS


@every_format
@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_compressed(known: Format, suffix: str) -> None:
    plain = write(known, Path(f"data{known.suffixes[0]}"))
    packed = Path(f"{plain}{suffix}")
    packed.write_bytes(COMPRESSORS[suffix](plain.read_bytes()))
    assert same_rows(read(packed)) == ROWS


@every_format
@pytest.mark.parametrize("suffix", ["", *COMPRESSORS])
def test_standard_input_is_recognised(known: Format, suffix: str, stdin: Callable[[bytes], None]) -> None:
    data = write(known, Path("data")).read_bytes()
    stdin(COMPRESSORS[suffix](data) if suffix else data)
    with open_stream(["-"]) as stream:
        assert stream.format is known
        assert stream.fraction() is None
        assert same_rows(list(stream)) == ROWS


@every_format
def test_unknown_suffix_is_recognised_and_format_wins(known: Format) -> None:
    path = write(known, Path("data.unknown"))
    assert same_rows(read(path)) == ROWS
    wrong = write(known, Path("data.csv" if known.name != "csv" else "data.vw"))
    assert same_rows(read(wrong, format=known.name)) == ROWS


@every_format
def test_folder_glob_and_several_files(known: Format) -> None:
    suffix = known.suffixes[0]
    first, second = write(known, Path(f"many/b{suffix}")), write(known, Path(f"many/a{suffix}"))
    Path("many/_SUCCESS").touch()
    Path("many/README.md").write_text("not data")
    for path in ("many", f"many/*{suffix}", "man*"):
        assert same_rows(read(path)) == ROWS * 2
        assert places(path)[0].startswith("many/a")
    with open_stream([first, second]) as stream:
        assert same_rows(list(stream)) == ROWS * 2


@every_text_format
@pytest.mark.parametrize("size", [1, 7, 64])
def test_rows_and_lines_do_not_depend_on_block_size(
    known: Format, size: int, block_bytes: Callable[[int], None]
) -> None:
    path = write(known, Path(f"data{known.suffixes[0]}"))
    lines = places(path)
    block_bytes(size)
    assert same_rows(read(path)) == ROWS
    assert places(path) == lines


@every_text_format
def test_byte_order_mark_is_no_part_of_the_text(known: Format) -> None:
    path = write(known, Path(f"data{known.suffixes[0]}"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert same_rows(read(path)) == ROWS
    assert same_rows(read(path.rename("data.unknown"))) == ROWS


@every_format
def test_fraction_grows_and_a_stream_is_read_once(known: Format) -> None:
    path = write(known, Path(f"data{known.suffixes[0]}"))
    stream = open_stream([path, path], batch_rows=2)
    assert stream.fraction() == 0.0
    names = stream.column_names()
    fractions = [(stream.fraction(), batch.table.schema.names == names) for batch in stream]
    assert fractions == sorted(fractions)
    assert all(same for _, same in fractions)
    assert stream.fraction() == 1.0
    with pytest.raises(ValueError, match="open the files again"):
        next(iter(stream))


def test_arrow_stream_format_plain_and_piped(stdin: Callable[[bytes], None]) -> None:
    with pa.ipc.new_stream("data.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=4)
    assert same_rows(read("data.arrow")) == ROWS
    stdin(Path("data.arrow").read_bytes())
    assert same_rows(read("-")) == ROWS


def test_places() -> None:
    for known in FORMATS:
        path = write(known, Path(f"data{known.suffixes[0]}"))
        first = 2 if known.name in ("csv", "tsv") else 1
        mark = " row " if known.name in ("parquet", "arrow") else ":"
        assert places(path) == [f"{path}{mark}{first + row}" for row in range(len(ROWS))]
        assert places(path, batch_rows=2) == places(path)


def test_targets_weights_and_ignored_columns() -> None:
    told = {known.name: (known.target, known.weight, known.ignored) for known in FORMATS if known.target}
    assert told == {"svmlight": ("label", None, ("qid",)), "vw": ("label", "weight", ("tag",))}
