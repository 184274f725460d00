"""Every data set states everything and is loaded from files in UCI's layout; bad files are told apart."""

import dataclasses
import re
import sys

import numpy as np
import pyarrow as pa
import pytest
from scipy.io import savemat

import unscaled
from tiny_datasets import ROWS, cell, content_of, make_tiny, put
from unscaled import datasets
from unscaled.datasets import DATASETS
from unscaled.errors import DataError, UsageError

each_set = pytest.mark.parametrize("name", DATASETS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSCALED_DATA", str(tmp_path))
    return tmp_path


@each_set
def test_every_set_states_everything(name):
    facts = datasets.describe(name)
    assert facts.name == name
    assert facts.about.endswith("?")
    assert facts.task in ("classes", "regression")
    assert len(set(facts.columns)) == len(facts.columns)
    assert set(facts.features) | {facts.target} <= set(facts.columns)
    assert facts.target not in facts.features
    assert 0 <= facts.paper.rows - facts.rows <= 1
    assert facts.paper.scales[0] < facts.paper.scales[1]
    number = re.match(r"https://archive\.ics\.uci\.edu/dataset/(\d+)/", facts.page)[1]
    assert facts.download.startswith(f"https://archive.ics.uci.edu/static/public/{number}/")
    assert facts.licence == "CC BY 4.0"
    assert re.fullmatch(r"10\.24432/C5\w{4}", facts.doi)
    assert facts.citation.endswith("UCI Machine Learning Repository.")
    assert facts.sha256 is None or re.fullmatch("[0-9a-f]{64}", facts.sha256)
    assert facts.members[-1] in (facts.file, f"{facts.file}.gz", f"{facts.file}.Z")


def test_names_are_all():
    assert datasets.names() == list(DATASETS) == sorted(DATASETS)
    assert unscaled.datasets is datasets


def test_files_of_sets_are_registered():
    stated = {value.name for key, module in sys.modules.items() if key.startswith("unscaled.datasets.")
              for value in vars(module).values() if isinstance(value, datasets.Facts)}  # fmt: skip
    assert stated == set(DATASETS)


@each_set
@pytest.mark.parametrize("suffix", ["", ".gz", ".Z"])
def test_every_set_is_loaded_from_ucis_layout(name, suffix, folder, monkeypatch):
    facts, content = make_tiny(name, monkeypatch)
    path = put(folder, f"{name}/{facts.file}{suffix}", content)
    loaded = datasets.load(name)
    assert (loaded.name, loaded.task, loaded.columns) == (name, facts.task, facts.features)
    assert loaded.whole
    assert loaded.paths == (path,)
    assert loaded.X.dtype == np.float64
    assert loaded.X.flags.c_contiguous
    expected = [[float(cell(facts, row, column)) for column in facts.features] for row in range(ROWS)]
    assert loaded.X.tolist() == expected
    labels = [cell(facts, row, facts.target) for row in range(ROWS)]
    assert loaded.y.tolist() == (labels if facts.task == "classes" else [float(label) for label in labels])
    assert loaded.scales.tolist() == np.abs(loaded.X).max(axis=0).tolist()


@each_set
def test_the_table_has_all_columns(name, folder, monkeypatch):
    facts, content = make_tiny(name, monkeypatch)
    put(folder, f"{name}/{facts.file}", content)
    loaded = datasets.load(name)
    table = loaded.table
    assert isinstance(table, pa.Table)
    assert table.column_names == list(facts.columns)
    assert table.num_rows == ROWS
    for column in facts.columns:
        cells = [cell(facts, row, column) for row in range(ROWS)]
        if column in facts.features or (column == facts.target and facts.task == "regression"):
            assert table[column].to_pylist() == [float(each) for each in cells]
        else:
            assert table[column].to_pylist() == cells
    assert loaded.table is table


@pytest.mark.parametrize("name", [name for name, facts in DATASETS.items() if not facts.header])
def test_a_copy_with_a_header_is_the_same(name, folder, monkeypatch):
    facts, content = make_tiny(name, monkeypatch)
    header = facts.separator.join(facts.columns) if facts.separator != " " else ",".join(facts.columns)
    file = facts.aliases[0] if facts.aliases else facts.file
    put(folder, f"{name}/{file}.gz", f"{header}\r\n".encode() + content.replace(b"\n", b"\r\n"))
    assert datasets.load(name).X.shape == (ROWS, len(facts.features))


def test_commas_and_no_last_line_end_are_the_same_shuttle(folder, monkeypatch):
    facts, content = make_tiny("shuttle", monkeypatch)
    put(folder, f"shuttle/{facts.file}", content.replace(b" ", b",").rstrip(b"\n"))
    assert datasets.load("shuttle").X.shape == (ROWS, 9)


def test_a_part_says_that_it_is_one(folder, monkeypatch):
    facts, content = make_tiny("ct_slice", monkeypatch, rows=1000)
    put(folder, f"ct_slice/{facts.part[0]}.gz", content)
    loaded = datasets.load("ct_slice")
    assert not loaded.whole
    assert len(loaded.y) == loaded.table.num_rows == ROWS < loaded.facts.rows


def matlab(path, rows, year, **changes):
    facts = DATASETS["msd"]
    X = np.arange(rows * len(facts.features), dtype=float).reshape(rows, -1) + year
    y = np.arange(year, year + rows, dtype=np.uint16).reshape(-1, 1)
    path.parent.mkdir(exist_ok=True)
    savemat(path, {f"{path.stem[3:]}x": X, f"{path.stem[3:]}y": y, **changes})
    return X, y


def test_a_part_in_matlabs_format(folder):
    (train, years), (test, more) = (matlab(folder / "msd" / f"sm_{part}.mat", n, 1990 + n) for part, n in
                                    (("train", 5), ("test", 2)))  # fmt: skip
    loaded = datasets.load("msd")
    assert not loaded.whole
    assert len(loaded.paths) == 2
    assert (np.vstack([train, test]) == loaded.X).all()
    assert loaded.X.flags.c_contiguous
    assert loaded.y.tolist() == [*years.ravel().tolist(), *more.ravel().tolist()]
    assert loaded.table.column_names == list(loaded.facts.columns)


def test_one_of_two_files_is_not_a_part(folder):
    matlab(folder / "msd" / "sm_train.mat", 5, 1990)
    with pytest.raises(DataError, match="'msd' is not here"):
        datasets.load("msd")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"trainx": np.zeros((5, 89))}, "it has 5 by 89 numbers for 5 rows of 90"),
        ({"trainy": np.zeros((4, 1))}, "it has 5 by 90 numbers for 4 rows of 90"),
        ({"weights": np.zeros(5)}, "should have one each in x and y"),
    ],
)
def test_another_matlab_file(changes, said, folder):
    matlab(folder / "msd" / "sm_train.mat", 5, 1990, **changes)
    matlab(folder / "msd" / "sm_test.mat", 2, 1990)
    with pytest.raises(DataError, match=rf"sm_train\.mat: .*{said}"):
        datasets.load("msd")


def test_a_broken_matlab_file(folder):
    for name in ("sm_train.mat", "sm_test.mat"):
        put(folder, f"msd/{name}", b"MATLAB 5.0 MAT-file, it says")
    with pytest.raises(DataError, match="it cannot be read as a MATLAB file"):
        datasets.load("msd")


def test_all_of_it_goes_before_a_part(folder, nothing_here, monkeypatch):
    facts, content = make_tiny("ct_slice", monkeypatch)
    put(folder, f"ct_slice/{facts.part[0]}", content)
    fetched = put(nothing_here, f"ct_slice/{facts.file}", content)
    assert datasets.load("ct_slice").paths == (fetched,)
    named = put(folder, f"ct_slice/{facts.file}", content)
    assert datasets.load("ct_slice").paths == (named,)


@each_set
@pytest.mark.parametrize("named", [True, False])
def test_what_is_not_here_says_how_to_get_it(name, named, tmp_path, monkeypatch):
    if named:
        monkeypatch.setenv("UNSCALED_DATA", str(tmp_path))
    with pytest.raises(DataError) as caught:
        datasets.load(name)
    assert str(caught.value) == (
        f"data set {name!r} is not here: get it with `unscaled data fetch {name}`, or put {DATASETS[name].file} into a "
        f"folder named {name} and set UNSCALED_DATA to the folder that holds it"
    )


def test_the_folder_must_be_one(monkeypatch):
    monkeypatch.setenv("UNSCALED_DATA", "/no/such/folder")
    with pytest.raises(DataError, match="UNSCALED_DATA is /no/such/folder, which is not a folder"):
        datasets.load("bank")


def test_without_pooch_the_named_folder_serves(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    facts, content = make_tiny("bank", monkeypatch)
    with pytest.raises(DataError, match="is not here"):
        datasets.load("bank")
    put(folder, f"bank/{facts.file}", content)
    assert datasets.load("bank").whole


@pytest.mark.parametrize("use", [datasets.describe, datasets.load, datasets.fetch])
def test_an_unknown_name_tells_the_nearest(use):
    with pytest.raises(UsageError, match=r"unknown data set 'covtype'; did you mean 'covertype'\?"):
        use("covtype")


@each_set
def test_a_file_with_too_few_rows_is_refused(name, folder, monkeypatch):
    facts, content = make_tiny(name, monkeypatch)
    put(folder, f"{name}/{facts.file}", content[: content.rindex(b"\n", 0, -1) + 1])
    expected = facts.rows + facts.rows_after
    with pytest.raises(DataError, match=f"it has {expected - 1} rows and should have {expected}; remove the file and"):
        datasets.load(name)


@each_set
def test_a_file_that_ends_within_a_row_is_refused(name, folder, monkeypatch):
    facts, content = make_tiny(name, monkeypatch)
    path = put(folder, f"{name}/{facts.file}", content[: content.rindex(b"\n", 0, -1) + 4])
    with pytest.raises(DataError) as caught:
        datasets.load(name)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(f"; remove the file and run `unscaled data fetch {name}`")


@pytest.mark.parametrize("name", [name for name, facts in DATASETS.items() if facts.sha256])
def test_an_altered_file_is_refused(name, folder, monkeypatch):
    facts, content = make_tiny(name, monkeypatch)
    put(folder, f"{name}/{facts.file}", content.replace(b"300", b"301"))
    with pytest.raises(DataError, match="its checksum is not that of UCI's file"):
        datasets.load(name)


@pytest.mark.parametrize(("suffix", "said"), [(".gz", "end-of-stream"), (".Z", "rows|columns|conversion")])
def test_a_packed_file_that_is_cut_short_is_refused(suffix, said, folder, monkeypatch):
    facts, content = make_tiny("shuttle", monkeypatch)
    path = put(folder, f"shuttle/{facts.file}{suffix}", content)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match=said):
        datasets.load("shuttle")


@pytest.mark.parametrize("suffix", ["", ".gz", ".Z"])
def test_what_is_no_such_file_is_refused(suffix, folder):
    for content in (b"", b"<html>404</html>", b"\x00\xff\xfe"):
        (folder / "bank").mkdir(exist_ok=True)
        (folder / f"bank/bank-full.csv{suffix}").write_bytes(content)
        with pytest.raises(DataError, match="remove the file and run `unscaled data fetch bank`"):
            datasets.load("bank")


@pytest.mark.parametrize("name", [name for name, facts in DATASETS.items() if facts.header])
def test_a_missing_column_is_named(name, folder, monkeypatch):
    facts, _ = make_tiny(name, monkeypatch)
    lost = facts.features[3]
    fewer = dataclasses.replace(facts, columns=tuple(each for each in facts.columns if each != lost))
    put(folder, f"{name}/{facts.file}", content_of(fewer))
    with pytest.raises(DataError, match=f"the header lacks '{lost}'"):
        datasets.load(name)


def test_columns_in_another_order_are_refused(folder, monkeypatch):
    facts, _ = make_tiny("bank", monkeypatch)
    put(folder, "bank/bank-full.csv", content_of(dataclasses.replace(facts, columns=facts.columns[::-1])))
    with pytest.raises(DataError, match="the header is not age;job;marital … y"):
        datasets.load("bank")
