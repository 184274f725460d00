"""What columns of tables mean, whatever type they come in and whoever made the table."""

import datetime
import decimal
import itertools
import math
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from streams import in_batches, learned, linear_stream
from unscaled import DataError, Learner, UsageError
from unscaled.features import Crossing
from unscaled.options import Options

ROWS = 24
Y = linear_stream(31, rows=ROWS).Y[:, 0]
N = np.arange(ROWS) % 7 - 2.0  # small whole numbers, some of them 0 and negative


def learner_of(columns, y=Y, **options):
    learner = Learner(**options)
    learner.learn(columns if hasattr(columns, "schema") else pa.table(columns), y)
    return learner


def same_model(ours, theirs, rel=None):
    if rel is None:
        return learned(ours) == learned(theirs)
    a, b = learned(ours)[0], learned(theirs)[0]
    assert a.keys() == b.keys()
    for name in a:
        assert a[name][2:] == pytest.approx(b[name][2:], rel=rel, abs=rel), name
    return True


def names_of(learner):
    return set(learner.weights()["feature"].to_pylist()) - {"(intercept)"}


# Kinds of numbers.

SECONDS = 1_600_000_000 + 86400 * np.arange(ROWS)  # midnight, or nearly, on consecutive days
MIDNIGHTS = [datetime.datetime(2020, 3, 1) + datetime.timedelta(days=i * i) for i in range(ROWS)]
POSIX = [(moment - datetime.datetime(1970, 1, 1)).total_seconds() for moment in MIDNIGHTS]
HOURS = [datetime.time(i, 30, 15) for i in range(ROWS)]


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.float16(),
        pa.float32(),
        pa.float64(),
        pa.decimal128(9, 3),
        pa.decimal256(40, 2),
    ],
    ids=str,
)
def test_numbers_of_any_type(kind):
    values = [decimal.Decimal(int(n)) for n in N] if pa.types.is_decimal(kind) else N.astype(int)
    if pa.types.is_floating(kind):
        values = N.astype(kind.to_pandas_dtype())
    column = pa.array(values, kind)
    assert same_model(learner_of({"a": column}), learner_of({"a": N}))


@pytest.mark.parametrize("kind", [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()], ids=str)
def test_numbers_without_sign(kind):
    assert same_model(learner_of({"a": pa.array(abs(N).astype(int), kind)}), learner_of({"a": abs(N)}))


def test_booleans_are_zero_and_one():
    assert same_model(learner_of({"a": pa.array(N > 0)}), learner_of({"a": (N > 0) * 1.0}))


def test_a_dictionary_of_numbers_is_numbers():
    assert same_model(learner_of({"a": pa.array(N).dictionary_encode()}), learner_of({"a": N}))


@pytest.mark.parametrize(
    "kind",
    [
        pa.date32(),
        pa.date64(),
        *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
        pa.timestamp("us", "Europe/Berlin"),
    ],
    ids=str,
)
def test_dates_and_timestamps_are_seconds_in_any_unit(kind):
    column = (
        pa.array(MIDNIGHTS, pa.timestamp("us")).cast(kind)
        if kind.id != pa.timestamp("us", "UTC").id or not kind.tz
        else (pa.array(MIDNIGHTS, pa.timestamp("us")).cast(pa.timestamp("us", "UTC")).cast(kind))
    )
    assert same_model(learner_of({"a": column}), learner_of({"a": POSIX}), rel=1e-9)
    both = Learner()
    both.learn(pa.table({"a": POSIX}), Y)
    scores = both.predict(pa.table({"a": column}))
    np.testing.assert_allclose(scores, both.predict(pa.table({"a": POSIX})), rtol=1e-12)


@pytest.mark.parametrize("kind", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")], ids=str)
def test_times_of_day_are_seconds_in_any_unit(kind):
    seconds = [hour.hour * 3600.0 + hour.minute * 60 + hour.second for hour in HOURS]
    assert same_model(learner_of({"a": pa.array(HOURS, kind)}), learner_of({"a": seconds}), rel=1e-12)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_are_seconds_in_any_unit(unit):
    column = pa.array([datetime.timedelta(seconds=int(n)) for n in N], pa.duration(unit))
    assert same_model(learner_of({"a": column}), learner_of({"a": N}), rel=1e-12)


# Kinds of categories.

JOBS = [["admin", "smith", "baker", None, ""][i * i % 5] for i in range(ROWS)]
TEXTS = {
    "string": pa.array(JOBS, pa.string()),
    "large_string": pa.array(JOBS, pa.large_string()),
    "string_view": pa.array(JOBS, pa.string_view()),
    "dictionary": pa.array(JOBS).dictionary_encode(),
    "dictionary with unused and unordered entries": pa.DictionaryArray.from_arrays(
        pa.array([None if not job else ["x", "smith", "admin", "baker"].index(job) for job in JOBS], pa.int8()),
        ["x", "smith", "admin", "baker"],
    ),
    "binary": pa.array([None if job is None else job.encode() for job in JOBS], pa.binary()),
    "large_binary": pa.array([None if job is None else job.encode() for job in JOBS], pa.large_binary()),
    "slice": pa.array(["other"] * 3 + JOBS + ["more"] * 2)[3:-2],
    "bag of one": pa.array([[job] if job is not None else None for job in JOBS]),
}


@pytest.mark.parametrize("column", TEXTS.values(), ids=TEXTS)
def test_text_of_any_type(column):
    learner = learner_of({"job": column, "a": N})
    assert same_model(learner, learner_of({"job": pa.array(JOBS), "a": N}))
    assert names_of(learner) == {"a", "job=admin", "job=smith", "job=baker"} & names_of(learner) | {"a"}
    assert any(name.startswith("job=") for name in names_of(learner))


def test_a_category_is_a_column_of_its_own():
    by_hand = {f"job={job}": [1.0 if each == job else 0.0 for each in JOBS] for job in ("admin", "smith", "baker")}
    # The order of columns must be that in which the categories appear, or sums round otherwise.
    p = Learner().learn(pa.table({"job": JOBS}), Y)
    q = Learner().learn(csr_matrix(np.array([by_hand[f"job={job}"] for job in ("admin", "smith", "baker")]).T), Y)
    np.testing.assert_array_equal(p, q)


def test_nulls_and_empty_strings_are_absent():
    assert same_model(
        learner_of({"job": ["a", "", None, "b"], "x": [1.0, 2, 3, 4]}, [1, 2, 3, 4]),
        learner_of({"job": ["a", None, None, "b"], "x": [1.0, 2, 3, 4]}, [1, 2, 3, 4]),
    )


def test_a_column_of_nothing_but_nulls_is_nothing():
    for column in (pa.nulls(ROWS), pa.nulls(ROWS, pa.string()), pa.nulls(ROWS, pa.float64())):
        assert same_model(learner_of({"a": N, "none": column}), learner_of({"a": N}))
        assert "none" not in names_of(learner_of({"a": N, "none": column}))


def test_a_known_column_may_come_as_nulls():
    learner = learner_of({"a": N, "job": JOBS})
    for nothing in (pa.nulls(3), pa.nulls(3, pa.string()), pa.nulls(3, pa.int8())):
        p = learner.predict(pa.table({"a": [1.0, 2.0, 3.0], "job": nothing}))
        assert (
            p.tobytes()
            == learner.predict(pa.table({"a": [1.0, 2, 3], "job": pa.array([None] * 3, pa.string())})).tobytes()
        )
    learner.learn(pa.table({"a": [1.0, 2.0, 3.0], "job": pa.nulls(3)}), [1, 2, 3])


# Lists and maps.

TAGS = [[f"t{i % 3}"] + ([f"u{i % 5}"] if i % 2 else []) if i % 4 else None for i in range(ROWS)]
VECTORS = [[float(i), None, i % 3 - 1.0] if i % 4 else None for i in range(ROWS)]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.string()),
        pa.list_(pa.large_string()),
        pa.list_(pa.dictionary(pa.int32(), pa.string())),
    ],
    ids=str,
)
def test_lists_of_text_are_bags(kind):
    learner = learner_of({"tags": pa.array(TAGS, kind)})
    assert names_of(learner) == {f"tags={tag}" for tags in TAGS if tags for tag in tags}
    as_map = pa.array([tags and [(tag, 1.0) for tag in tags] for tags in TAGS], pa.map_(pa.string(), pa.float64()))
    p = Learner().learn(pa.table({"tags": pa.array(TAGS, kind)}), Y)
    np.testing.assert_array_equal(p, Learner().learn(pa.table({"tags": as_map}), Y))


@pytest.mark.parametrize(
    "kind",
    [pa.list_(pa.float64()), pa.large_list(pa.float32()), pa.list_(pa.float64(), 3), pa.list_(pa.int16())],
    ids=str,
)
def test_lists_of_numbers_are_vectors(kind):
    vectors = (
        [v and [None if x is None else int(x) for x in v] for v in VECTORS]
        if kind.value_type == pa.int16()
        else VECTORS
    )
    learner = learner_of({"v": pa.array(vectors, kind)})
    assert names_of(learner) == {"v[0]", "v[2]"}
    first, last = ([v[k] if v else None for v in VECTORS] for k in (0, 2))
    p = Learner().learn(pa.table({"v": pa.array(vectors, kind)}), Y)
    holes = np.array([[np.nan if x is None else x for x in column] for column in (first, last)], float).T
    np.testing.assert_array_equal(p, Learner().learn(csr_matrix(np.nan_to_num(holes)), Y))


def test_maps_are_bags_with_values():
    pairs = [[("x", float(i)), ("y", -1.0), ("", 5.0), ("z", None)] if i % 3 else None for i in range(ROWS)]
    column = pa.array(pairs, pa.map_(pa.string(), pa.float64()))
    learner = learner_of({"m": column}, rule="nag")
    assert names_of(learner) == {"m:x", "m:y"}
    assert {row["feature"]: row["scale"] for row in learner.weights().to_pylist()}["m:x"] == 23.0
    whole = pa.table({"m": pa.concat_arrays([column, column])})
    ours, theirs = Learner(), Learner()
    p = ours.learn(whole, np.append(Y, Y))
    assert p.tobytes() == in_batches(theirs, whole, np.append(Y, Y), 5).tobytes()


@pytest.mark.parametrize("column", [TAGS, VECTORS], ids=["bag", "vector"])
def test_slices_of_nested_columns(column):
    whole = pa.table({"c": column, "a": N})
    p = Learner().learn(whole, Y)
    assert in_batches(Learner(), whole, Y, 5).tobytes() == p.tobytes()
    learner = learner_of(whole)
    parts = [learner.predict(whole.slice(i, 7)) for i in range(0, ROWS, 7)]
    assert np.concatenate(parts).tobytes() == learner.predict(whole).tobytes()


@pytest.mark.parametrize(
    "column",
    [
        pa.array([{"u": 1}] * ROWS),
        pa.array([b"abcd"] * ROWS, pa.binary(4)),
        pa.array([[["a"]]] * ROWS),
        pa.array([[("k", "v")]] * ROWS, pa.map_(pa.string(), pa.string())),
    ],
    ids=["struct", "fixed binary", "list of lists", "map to text"],
)
def test_columns_that_cannot_be_read_are_refused(column):
    with pytest.raises(DataError):
        learner_of({"a": N, "odd": column})


@pytest.mark.parametrize(
    "column", [pa.array([{"u": 1}] * ROWS), pa.array([b"abcd"] * ROWS, pa.binary(4))], ids=["struct", "fixed"]
)
def test_columns_that_cannot_be_read_are_named(column):
    with pytest.raises(DataError, match="'odd'"):
        learner_of({"a": N, "odd": column})


def test_nested_columns_that_cannot_be_read_are_named():
    for column in ([[["a"]]] * ROWS, pa.array([[("k", "v")]] * ROWS, pa.map_(pa.string(), pa.string()))):
        with pytest.raises(DataError, match="'odd'"):
            learner_of({"a": N, "odd": column})


def test_an_unreadable_column_that_the_model_does_not_know_is_ignored_in_prediction():
    learner = learner_of({"a": N})
    with pytest.warns(UserWarning, match="'odd'"):
        p = learner.predict(pa.table({"a": N, "odd": pa.array([{"u": 1}] * ROWS)}))
    assert p.tobytes() == learner.predict(pa.table({"a": N})).tobytes()


# A column that changes its type, or brings something new.


def test_text_in_a_column_of_numbers():
    learner = Learner()
    learner.learn(pa.table({"a": [1.0, 2.0]}), [1, 2])
    learner.learn(pa.table({"a": ["3", "n/a", "", "many", None, "NaN", "4.5"]}), range(7))
    assert names_of(learner) == {"a", "a=many"}
    counts = {row["feature"]: row["count"] for row in learner.weights().to_pylist()}
    assert counts == {"a": 4.0, "a=many": 1.0, "(intercept)": 9.0}
    by_text, by_number = (learner.predict(pa.table({"a": a})) for a in (["2.5", "many"], [2.5, None]))
    assert by_text[0] == by_number[0]
    assert by_text[1] != by_number[1]


def test_numbers_in_a_column_of_categories():
    learner = Learner()
    learner.learn(pa.table({"zip": ["10115", "0.5", "true"]}), [1, 2, 3])
    learner.learn(pa.table({"zip": [10115, None, 99]}), [1, 2, 3])
    learner.learn(pa.table({"zip": [10115.0, 0.5, float("nan")]}), [1, 2, 3])
    learner.learn(pa.table({"zip": [True, False, None]}), [1, 2, 3])
    counts = {row["feature"]: row["count"] for row in learner.weights().to_pylist()}
    del counts["(intercept)"]
    assert counts == {"zip=10115": 3.0, "zip=0.5": 2.0, "zip=true": 2.0, "zip=99": 1.0, "zip=false": 1.0}


@pytest.mark.parametrize("number", [2**53 + 1, 12345678901234567])
def test_large_whole_numbers_in_a_column_of_categories(number):
    learner = Learner()
    learner.learn(pa.table({"id": [str(number), "other"]}), [1, 2])
    learner.learn(pa.table({"id": [number, number]}), [1, 2])
    assert names_of(learner) == {f"id={number}", "id=other"}


def test_unknown_categories_are_ignored_in_prediction():
    learner = learner_of({"a": N, "job": JOBS})
    known = learner.predict(pa.table({"a": [1.0, 2.0], "job": [None, "smith"]}))
    p = learner.predict(pa.table({"a": [1.0, 2.0], "job": ["astronaut", "smith"]}))
    assert p.tobytes() == known.tobytes()
    assert "job=astronaut" not in names_of(learner)
    learner.learn(pa.table({"a": [1.0], "job": ["astronaut"]}), [1.0])
    assert "job=astronaut" in names_of(learner)


def test_a_category_in_prediction_only_is_ignored_where_there_were_only_numbers():
    learner = learner_of({"a": N})
    p = learner.predict(pa.table({"a": ["1", "many", None]}))
    q = learner.predict(pa.table({"a": [1.0, None, None]}))
    assert p.tobytes() == q.tobytes()


@pytest.mark.parametrize("verb", ["learn", "predict"])
def test_a_missing_column_is_named_and_the_nearest_offered(verb):
    learner = learner_of({"balance": N, "age": N})
    call = (lambda X: learner.learn(X, Y)) if verb == "learn" else learner.predict
    with pytest.raises(DataError, match=r"no column 'balance'.*did you mean 'balanec'"):
        call(pa.table({"balanec": N, "age": N}))
    with pytest.raises(DataError, match=r"no column .*'age'"):
        call(pa.table({"other": N}))


def test_an_extra_column_is_ignored_with_one_warning():
    learner = learner_of({"a": N})
    with pytest.warns(UserWarning, match="'b'") as caught:
        p = learner.predict(pa.table({"a": N, "b": N}))
    assert len(caught) == 1
    assert p.tobytes() == learner.predict(pa.table({"a": N})).tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.predict(pa.table({"a": N, "b": N}))


def test_a_new_column_is_learned():
    learner = learner_of({"a": N})
    learner.learn(pa.table({"a": N, "b": N, "c": JOBS}), Y)
    assert {"a", "b", "c=admin"} <= names_of(learner)


def test_columns_of_one_name():
    with pytest.raises(DataError, match="same name: 'a'"):
        learner_of(pa.table([N, N, N], names=["a", "b", "a"]))


def test_columns_of_one_name_in_pandas():
    with pytest.raises(DataError, match="'a'"):
        Learner().learn(pd.DataFrame(np.ones((2, 3)), columns=["a", "b", "a"]), [1, 2])


# Missing indicators.


def test_missing_indicators():
    options = {"missing_indicator": True}
    learner = learner_of({"a": [1.0, None, 3.0, None], "job": ["x", "", None, "y"]}, [1, 2, 3, 4], **options)
    by_hand = csr_matrix(np.array([[1.0, 0, 1, 0, 0], [0, 1, 0, 0, 1], [3, 0, 0, 0, 1], [0, 1, 0, 1, 0]]))
    assert names_of(learner) == {"a", "a is missing", "job=x", "job=y", "job is missing"}
    counts = {row["feature"]: row["count"] for row in learner.weights().to_pylist()}
    assert (counts["a is missing"], counts["job is missing"]) == (2.0, 2.0)
    p = Learner(**options).learn(pa.table({"a": [1.0, None, 3.0, None], "job": ["x", "", None, "y"]}), [1, 2, 3, 4])
    np.testing.assert_allclose(p, Learner().learn(by_hand, [1, 2, 3, 4]), rtol=1e-12, atol=1e-12)


def test_zero_is_not_missing():
    assert "a is missing" not in names_of(learner_of({"a": [0.0, 1.0]}, [1, 2], missing_indicator=True))


# Who made the table.


def frames():
    plain = {"n": N, "job": JOBS, "flag": N > 0, "when": MIDNIGHTS}
    arrow = pa.table({**plain, "job": pa.array(JOBS, pa.string()), "when": pa.array(MIDNIGHTS, pa.timestamp("us"))})
    pandas = pd.DataFrame(plain)
    source = arrow
    return {
        "record batch": lambda: arrow.to_batches()[0],
        "reader": lambda: arrow.to_reader(max_chunksize=5),
        "chunked table": lambda: pa.concat_tables([arrow.slice(0, 5), arrow.slice(5)]),
        "pandas": lambda: pandas,
        "pandas with an index of text": lambda: pandas.set_index(pd.Index([f"r{i}" for i in range(ROWS)], name="id")),
        "pandas with a shuffled index": lambda: pandas.set_axis(range(ROWS, 0, -1)).set_axis(
            np.random.default_rng(0).permutation(ROWS)
        ),
        "pandas with two indices": lambda: pandas.set_index([np.arange(ROWS), np.arange(ROWS)]),
        "pandas categories": lambda: pandas.astype({"job": "category"}),
        "pandas on arrow": lambda: arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.from_arrow(arrow),
        "polars categories": lambda: pl.from_arrow(arrow).with_columns(pl.col("job").cast(pl.Categorical)),
        "duckdb": lambda: duckdb.from_arrow(source),
    }


@pytest.mark.parametrize("make", frames().values(), ids=frames())
def test_whoever_made_the_table_the_model_is_the_same(make):
    arrow = pa.table(
        {
            "n": N,
            "job": pa.array(JOBS, pa.string()),
            "flag": N > 0,
            "when": pa.array(MIDNIGHTS, pa.timestamp("us")),
        }
    )
    expected = learner_of(arrow)
    learner = Learner()
    assert learner.learn(make(), Y).tobytes() == Learner().learn(arrow, Y).tobytes()
    assert same_model(learner, expected)
    assert learner.predict(make()).tobytes() == expected.predict(arrow).tobytes()


def test_a_record_batch_of_a_pandas_frame_has_no_index():
    frame = pd.DataFrame({"n": N}, index=np.arange(ROWS) * 2 + N)
    assert names_of(learner_of(pa.RecordBatch.from_pandas(frame))) == {"n"}


def test_polars_binary_columns():
    p = Learner().learn(pl.DataFrame({"b": [b"x", b"y"]}), [1, 2])
    assert p.tobytes() == Learner().learn(pa.table({"b": [b"x", b"y"]}), [1, 2]).tobytes()


def test_polars_nested_columns():
    frame = pl.DataFrame({"tags": TAGS, "v": VECTORS}, schema={"tags": pl.List(pl.String), "v": pl.List(pl.Float64)})
    assert same_model(learner_of(frame.to_arrow()), learner_of(pa.table({"tags": TAGS, "v": VECTORS})))
    learner = Learner()
    learner.learn(frame, Y)
    assert same_model(learner, learner_of(pa.table({"tags": TAGS, "v": VECTORS})))


# Hashing.


def test_a_hashed_table_is_bounded():
    learner = Learner(hash_bits=4)
    for i in range(20):
        learner.learn(pa.table({"a": N, "id": [f"{i}-{row}" for row in range(ROWS)]}), Y)
    assert learner._numbers.slots <= 2 * (16 + 1 + 1)
    assert learner.features <= 16 + 1
    assert np.isfinite(learner.predict(pa.table({"a": N, "id": ["x"] * ROWS}))).all()
    crossed = Learner(hash_bits=4, interactions=2)
    crossed.learn(np.random.default_rng(0).normal(size=(5, 30)), np.arange(5.0))
    assert crossed._numbers.slots <= 2 * (16 + 31)


FEW = pa.table({"a": N, "b": np.sqrt(abs(N)), "job": JOBS, "tags": TAGS})


@pytest.mark.parametrize("interactions", [1, 2, 3])
@pytest.mark.parametrize("rates", [0.5, (0.5, 0.1)], ids=["one", "many"])
def test_a_hashed_table_with_room_is_like_the_exact_one(interactions, rates):
    exact = Learner(interactions=interactions, learning_rate=rates)
    hashed = Learner(interactions=interactions, learning_rate=rates, hash_bits=20)
    p, q = exact.learn(FEW, Y), hashed.learn(FEW, Y)
    assert exact.features == hashed.features  # no two share a slot
    np.testing.assert_allclose(p, q, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(exact.predict(FEW), hashed.predict(FEW), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pairs", [[("a", "job")], [("job", "tags")], [("*", "job")]])
def test_pairs_of_patterns_match_hashed_categories(pairs):
    exact, hashed = (Learner("nag", interactions=pairs, hash_bits=bits) for bits in (None, 20))
    p, q = exact.learn(FEW, Y), hashed.learn(FEW, Y)
    np.testing.assert_allclose(p, q, rtol=1e-9, atol=1e-12)


def test_pairs_of_patterns_match_numbers_in_a_hashed_table():
    exact, hashed = (Learner("nag", interactions=[("a", "b")], hash_bits=bits) for bits in (None, 20))
    np.testing.assert_allclose(exact.learn(FEW, Y), hashed.learn(FEW, Y), rtol=1e-9, atol=1e-12)


def test_names_in_a_hashed_table():
    learner = learner_of({"a": N, "job": JOBS}, hash_bits=10)
    names = names_of(learner)
    assert "a" in names
    assert all(name == "a" or name.startswith("(hashed ") for name in names)


@pytest.mark.parametrize(("columns", "order"), [(30_000, 2), (1_500, 3)])
def test_too_large_a_table_of_interactions(columns, order):
    with pytest.raises(UsageError, match=rf"order {order} among {columns:,} features.*hash_bits"):
        Learner(interactions=order).learn(csr_matrix((1, columns)), [1.0])
    Learner(interactions=order, hash_bits=10).learn(csr_matrix((1, columns)), [1.0])


# Interactions of named columns.


def test_the_names_of_interactions():
    learner = learner_of({"a": N, "job": ["x", "y"] * 12}, interactions=2)
    assert names_of(learner) == {
        "a",
        "a * a",
        "job=x",
        "job=y",
        "a * job=x",
        "a * job=y",
        "job=x * job=x",
        "job=y * job=y",
    } or (
        names_of(learner)
        == {"a", "a * a", "job=x", "job=y", "job=x * a", "job=y * a", "job=x * job=x", "job=y * job=y"}
    )
    cubic = learner_of({"a": N}, interactions=3)
    assert names_of(cubic) == {"a", "a * a", "a * a * a"}


@pytest.mark.parametrize(
    ("pairs", "products"),
    [
        ([("job", "a")], [{"a", "job=x"}, {"a", "job=y"}]),
        ([("j*", "b")], [{"b", "job=x"}, {"b", "job=y"}]),
        ([("a", "a")], [{"a"}]),
        ([("[ab]", "[ab]")], [{"a"}, {"b"}, {"a", "b"}]),
        ([("a", "b"), ("b", "job")], [{"a", "b"}, {"b", "job=x"}, {"b", "job=y"}]),
        ([("A", "*")], []),
    ],
)
def test_pairs_of_patterns_name_columns(pairs, products):
    table = pa.table({"a": N + 10, "b": N + 20, "job": ["x", "y"] * 12})
    learner = learner_of(table, interactions=pairs)
    found = [set(name.split(" * ")) for name in names_of(learner) if " * " in name]
    assert len(found) == len(products)
    assert all(product in found for product in products)
    assert {"a", "b", "job=x", "job=y"} <= names_of(learner)


def test_an_interaction_of_tables_is_the_product():
    learner = learner_of({"a": N, "b": np.sqrt(abs(N))}, interactions=2, rule="nag")
    scales = {row["feature"]: row["scale"] for row in learner.weights().to_pylist()}
    b = np.sqrt(abs(N))
    assert scales["a * b"] == abs(N * b).max()
    assert scales["a * a"] == (N * N).max()
    assert scales["b * b"] == (b * b).max()


@pytest.mark.parametrize("order", [2, 3])
@given(data=st.data())
def test_slots_and_factors_are_inverse(order, data):
    crossing = Crossing(Options(interactions=order))
    largest = 2**31 if order == 2 else 2**20
    factors = np.array(
        data.draw(st.lists(st.lists(st.integers(0, largest), min_size=order, max_size=order), min_size=1, max_size=9))
    )
    slots = crossing.slots(factors)
    assert np.array_equal(crossing.factors(slots), np.sort(factors, axis=1))
    assert np.array_equal(crossing.slots(crossing.factors(slots)), slots)
    other = np.array(data.draw(st.lists(st.integers(0, 2**60), min_size=1, max_size=9)))
    assert np.array_equal(crossing.slots(crossing.factors(other)), other)


@pytest.mark.parametrize("order", [2, 3])
def test_slots_fill_the_table_without_gaps(order):
    crossing = Crossing(Options(interactions=order))
    factors = np.array(list(itertools.combinations_with_replacement(range(9), order)))
    slots = crossing.slots(factors)
    assert sorted(slots.tolist()) == list(range(math.comb(9 + order - 1, order)))
    assert crossing.table_size(9) == len(slots)
    assert np.array_equal(
        crossing.base_slots(np.arange(9)),
        crossing.slots(np.array([[0] * (order - 1) + [i] for i in range(9)])),
    )
