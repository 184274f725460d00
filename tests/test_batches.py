"""How rows come, in batches of any size and in any layout, changes no bit of what is learned."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csc_matrix, csr_matrix

from streams import in_batches, learned, linear_stream, steps
from unscaled import Learner
from unscaled.rules import RULES

ROWS = 60
STREAM = linear_stream(11, rows=ROWS)
X = STREAM.X / np.abs(STREAM.X).max(axis=0)
LATE = X * (np.arange(ROWS) >= 25)[:, None] ** np.array([0, 1, 0, 0, 1])
Y = STREAM.Y[:, 0]
SIGNS = np.where(Y > 0, 1.0, -1.0)


def table(**more):
    return pa.table({"b": LATE[:, 0], "a": LATE[:, 1], "c": X[:, 2], **more})


def some(values, rows):
    """Values in some rows, nulls elsewhere."""
    return [value if row in rows else None for row, value in enumerate(values)]


TABLES = {
    "numbers": table(),
    "categories": table(job=[f"job{i * i % 7}" for i in range(ROWS)]),
    "late category": table(job=some([f"job{i % 3}" for i in range(ROWS)], range(31, ROWS))),
    "late column": table(late=some(Y, range(17, ROWS)), also=some(Y, range(17, ROWS, 2))),
    "two late kinds": table(
        job=some(["x", "y"] * 30, range(40, ROWS, 3)),
        z=some(["u"] * ROWS, range(9, ROWS)),
        late=some(Y, [33]),
    ),
    "bags": table(tags=some([[f"t{i % 5}", f"t{i % 7 + 5}"] for i in range(ROWS)], range(20, ROWS, 2))),
    "vectors": table(place=some([[float(i), 2.0, None] for i in range(ROWS)], range(5, ROWS, 2))),
}
ARRAYS = {"dense": LATE, "csr": csr_matrix(LATE)}
DATA = {**ARRAYS, **TABLES}

OPTIONS = {
    "plain": {},
    "interactions": {"interactions": 2},
    "pairs": {"interactions": [("[abx]*", "*")]},
    "clip to labels": {"clip": "labels"},
    "penalties": {"l1": 0.01, "l2": 0.1},
    "no intercept": {"intercept": False},
    "hashed": {"hash_bits": 6},
    "hashed interactions": {"hash_bits": 6, "interactions": 2},
    "several rates": {"learning_rate": [0.1, 0.5]},
    "logistic": {"loss": "logistic"},
}


def assert_same_in_batches(X, y, weights=None, sizes=(1, 7, 32), **options):
    whole = Learner(**options)
    p = whole.learn(X, y, weights)
    for size in sizes:
        parts = Learner(**options)
        q = in_batches(parts, X, y, size, weights)
        assert p.tobytes() == q.tobytes(), size
        assert learned(parts) == learned(whole), size
        assert np.asarray(parts.progressive_loss).tobytes() == np.asarray(whole.progressive_loss).tobytes()
        assert parts.predict(X).tobytes() == whole.predict(X).tobytes(), size
    return whole


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("X", DATA.values(), ids=DATA)
def test_batch_sizes_change_no_bit(X, options):
    y = SIGNS if options.get("loss") == "logistic" else Y
    assert_same_in_batches(X, y, **options)


def test_batch_sizes_do_not_change_the_names_of_products():
    whole, parts = (Learner(interactions=2) for _ in range(2))
    whole.learn(TABLES["two late kinds"], Y)
    in_batches(parts, TABLES["two late kinds"], Y, 1)
    assert set(whole.weights()["feature"].to_pylist()) == set(parts.weights()["feature"].to_pylist())


@pytest.mark.parametrize("weights", [None, STREAM.weights], ids=["", "weighted"])
@pytest.mark.parametrize("X", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("rule", RULES)
def test_batch_sizes_change_no_bit_of_any_rule(rule, X, weights):
    assert_same_in_batches(X, Y, weights, rule=rule)


@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
def test_batch_sizes_change_no_bit_of_snag_on_tables(X):
    assert_same_in_batches(X, Y, STREAM.weights, rule="snag")


def test_batch_sizes_change_no_bit_with_missing_indicators():
    assert_same_in_batches(TABLES["late column"], Y, missing_indicator=True)


@pytest.mark.parametrize("name", ["numbers", "categories", "bags"])
def test_batch_sizes_change_no_bit_with_missing_indicators_of_columns_there_from_the_start(name):
    X = TABLES[name].append_column("gaps", pa.array(some(Y, range(0, ROWS, 3))))
    if name == "bags":
        X = X.set_column(3, "tags", pa.array(some([["a"], ["b"]] * 30, range(0, ROWS, 2))))
    whole = assert_same_in_batches(X, Y, missing_indicator=True)
    assert "gaps is missing" in whole.weights()["feature"].to_pylist()


LATE_CLASSES = np.array(["abcde"[min(4, i // 12 * (i % 3 > 0))] for i in range(ROWS)])


@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize("X", [DATA["dense"], DATA["csr"], DATA["two late kinds"]], ids=["dense", "csr", "table"])
@pytest.mark.parametrize("clip", [None, "labels", 2.0])
@pytest.mark.parametrize("rule", ["nag", "snag"])
def test_classes_that_appear_late(rule, clip, X, loss):
    assert len(set(LATE_CLASSES[:12])) == 1
    assert len(set(LATE_CLASSES)) == 5
    options = {"classes": "auto", "loss": loss, "clip": clip, "rule": rule}
    whole = Learner(**options)
    p = whole.learn(X, LATE_CLASSES)
    for size in (1, 7, 32):
        parts = Learner(**options)
        known = 0
        for begin in range(0, ROWS, size):
            rows = X.slice(begin, size) if hasattr(X, "slice") else X[begin : begin + size]
            q = parts.learn(rows, LATE_CLASSES[begin : begin + size])
            known = len(parts.classes)
            assert q.shape == (len(q), known)
            assert q.tobytes() == p[begin : begin + size, :known].tobytes()
        assert learned(parts) == learned(whole)
        assert parts.classes == whole.classes == list("abcde")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("interactions", [1, 2, 3])
def test_dense_and_sparse_rows_agree(rule, interactions):
    dense, sparse = (Learner(rule, interactions=interactions, **steps(rule, learning_rate=0.1)) for _ in range(2))
    p = dense.learn(LATE, Y, STREAM.weights)
    q = sparse.learn(csr_matrix(LATE), Y, STREAM.weights)
    np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-12 * np.abs(p).max())
    q = dense.predict(X)
    np.testing.assert_allclose(sparse.predict(csr_matrix(X)), q, rtol=1e-12, atol=1e-12 * np.abs(q).max())
    np.testing.assert_allclose(dense.predict(csr_matrix(X)), q, rtol=1e-12, atol=1e-12 * np.abs(q).max())


def test_a_table_of_numbers_is_an_array_with_names():
    names = ["v", "w", "x", "y", "z"]
    p = Learner().learn(X, Y)
    assert Learner().learn(pa.table(dict(zip(names, X.T, strict=True))), Y).tobytes() == p.tobytes()


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
def test_the_order_of_columns_changes_no_bit(X, options):
    y = SIGNS if options.get("loss") == "logistic" else Y
    turned = X.select(X.column_names[::-1])
    ours, theirs = Learner(**options), Learner(**options)
    assert ours.learn(X, y).tobytes() == theirs.learn(turned, y).tobytes()
    assert learned(ours) == learned(theirs)
    p = ours.predict(X)
    for learner in (ours, theirs):
        for each in (X, turned):
            assert learner.predict(each).tobytes() == p.tobytes()


@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("rule", ["nag", "snag", "ag"])
def test_float32_and_float64_rows_of_the_same_numbers_agree(rule, layout):
    narrow = X.astype(np.float32)
    ours, theirs = Learner(rule), Learner(rule)
    p = ours.learn(layout(narrow), Y)
    assert p.dtype == np.float64
    assert p.tobytes() == theirs.learn(layout(narrow.astype(np.float64)), Y).tobytes()
    assert ours.predict(layout(narrow)).tobytes() == theirs.predict(layout(narrow.astype(np.float64))).tobytes()
    assert learned(ours) == learned(theirs)


WHOLE_NUMBERS = np.round(10 * X)


@pytest.mark.parametrize(
    "form",
    [
        np.asfortranarray,
        lambda A: np.repeat(A, 2, axis=0)[::2],
        lambda A: np.repeat(A, 2, axis=1)[:, ::2],
        lambda A: A[::-1][::-1],
        lambda A: A.astype(np.int8),
        lambda A: A.astype(np.float16),
        lambda A: A.astype(np.longdouble),
        lambda A: A.astype(">f8"),
        lambda A: A.astype(object),
        lambda A: A.tolist(),
    ],
    ids=[
        "fortran",
        "row strides",
        "column strides",
        "reversed",
        "int8",
        "float16",
        "longdouble",
        "big endian",
        "object",
        "list",
    ],
)
def test_any_form_of_array(form):
    given = form(WHOLE_NUMBERS)
    assert Learner().learn(given, Y).tobytes() == Learner().learn(WHOLE_NUMBERS, Y).tobytes()


def test_read_only_and_memory_mapped_arrays(tmp_path):
    p = Learner().learn(X, Y)
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert Learner().learn(mapped, Y).tobytes() == p.tobytes()


@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_any_form_of_sparse_matrix(kind):
    p = Learner().learn(csr_matrix(WHOLE_NUMBERS), Y)
    other = csr_matrix(WHOLE_NUMBERS.astype(int))
    other.indices, other.indptr = other.indices.astype(kind), other.indptr.astype(kind)
    assert Learner().learn(other, Y).tobytes() == p.tobytes()
    assert Learner().learn(csc_matrix(WHOLE_NUMBERS), Y).tobytes() == p.tobytes()


def test_a_sparse_matrix_with_duplicate_and_unsorted_entries():
    tidy = csr_matrix(np.array([[3.0, 0.0, 5.0], [0.0, 1.0, 0.0]]))
    untidy = csr_matrix(([2.0, 5.0, 1.0, 1.0, 0.0], [0, 2, 0, 1, 2], [0, 3, 5]), shape=(2, 3))
    before = untidy.data.copy()
    assert Learner().learn(untidy, [1.0, 2.0]).tobytes() == Learner().learn(tidy, [1.0, 2.0]).tobytes()
    assert np.array_equal(untidy.data, before)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("interactions", [1, 2])
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
def test_nan_is_missing_is_absent(rule, interactions, layout):
    holes = np.where(LATE == 0.0, np.nan, LATE)
    assert np.isnan(holes).any()
    ours, theirs = (Learner(rule, interactions=interactions, **steps(rule, learning_rate=0.1)) for _ in range(2))
    assert ours.learn(layout(holes), Y).tobytes() == theirs.learn(layout(LATE), Y).tobytes()
    assert ours.predict(layout(holes)).tobytes() == theirs.predict(layout(LATE)).tobytes()
    assert learned(ours) == learned(theirs)


def test_null_nan_and_zero_of_a_table_are_the_same():
    zeros, nans, nulls = [0.0, 2.0, 0.0, 1.0], [np.nan, 2.0, np.nan, 1.0], [None, 2.0, None, 1.0]
    results = {
        Learner()
        .learn(pa.table({"a": [1.0, 2.0, 3.0, 4.0], "b": pa.array(b, from_pandas=False)}), [1, 2, 3, 4])
        .tobytes()
        for b in (zeros, nans, nulls)
    }
    assert len(results) == 1


@pytest.mark.parametrize(
    "X", [X[:0], csr_matrix(X[:0]), TABLES["categories"].slice(0, 0)], ids=["dense", "csr", "table"]
)
def test_no_rows(X):
    learner = Learner()
    assert learner.learn(X, []).shape == (0,)
    assert learner.predict(X).shape == (0,)
    assert learner.examples == 0


def test_no_rows_between_rows_change_nothing():
    """A table of several chunks, one of them empty."""
    whole = TABLES["late category"]
    chunks = pa.concat_tables([whole.slice(0, 10), whole.slice(0, 0), whole.slice(10, 50)])
    assert Learner().learn(chunks, Y).tobytes() == Learner().learn(whole, Y).tobytes()


def test_rows_without_columns_learn_the_intercept():
    p = Learner().learn(np.empty((ROWS, 0)), Y + 10.0)
    assert np.abs(p[-1] - 10.0) < np.abs(Y).max() + 1.0
    assert p.tobytes() == Learner().learn(np.zeros((ROWS, 3)), Y + 10.0).tobytes()


@pytest.mark.parametrize("hash_bits", [None, 8])
@pytest.mark.parametrize("rates", [0.5, (0.5, 0.1)])
def test_a_token_twice_in_a_bag_counts_twice_in_one_lane_and_in_many(rates, hash_bits):
    """As the sum that a sparse matrix makes of duplicate entries; in every number of lanes the same."""
    twice = pa.table({"bag": [["a", "a"], ["a", "b", "a"], ["b"], ["a", "a", "a"]] * 5})
    pairs = [[("a", 2.0)], [("a", 2.0), ("b", 1.0)], [("b", 1.0)], [("a", 3.0)]] * 5
    counted = pa.table({"bag": pa.array(pairs, pa.map_(pa.string(), pa.float64()))})
    y = np.arange(20.0)
    learner = Learner(learning_rate=rates, hash_bits=hash_bits)
    p = learner.learn(twice, y)
    expected = Learner(learning_rate=rates, hash_bits=hash_bits).learn(counted, y)
    np.testing.assert_allclose(p, expected, rtol=1e-12, atol=1e-12)
