"""Labels, weights, bad rows, and what is said about them."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

import unscaled
from streams import learned, linear_stream, state_of
from unscaled import DataError, Learner, UsageError
from unscaled.losses import COUNT, LOSSES, REAL, SIGN
from unscaled.rules import RULES

nan, inf = float("nan"), float("inf")

STREAM = linear_stream(21)
X, Y = STREAM.X, STREAM.Y[:, 0]
THREE = X[:3]

BAD_LABELS = {
    REAL: [
        (nan, "missing"),
        (inf, "infinite"),
        (-inf, "infinite"),
        (1e200, "beyond .*1e.100"),
        (-1e101, "beyond"),
    ],
    SIGN: [
        (0.0, "neither -1 nor"),
        (2.0, "neither"),
        (nan, "missing"),
        (inf, "infinite"),
        (0.999, "neither"),
    ],
    COUNT: [(-1.0, "negative"), (-0.5, "negative"), (nan, "missing"), (inf, "infinite"), (1e200, "beyond")],
}


def cases():
    return [(name, label, why) for name, loss in LOSSES.items() for label, why in BAD_LABELS[loss.labels]]


@pytest.mark.parametrize(("loss", "label", "why"), cases())
def test_a_label_that_the_loss_cannot_take(loss, label, why):
    good = 1.0
    with pytest.raises(DataError, match=rf"row 2: label .*{why}"):
        Learner(loss=loss).learn(THREE, [good, good, label])
    told = []
    learner = Learner(loss=loss)
    p = learner.learn(THREE, [good, label, good], on_bad_row=lambda row, why: told.append((row, why)))
    assert [row for row, _ in told] == [1]
    assert "label" in told[0][1]
    assert np.isnan(p).tolist() == [False, True, False]
    without = Learner(loss=loss)
    assert without.learn(THREE[[0, 2]], [good, good]).tobytes() == p[[0, 2]].tobytes()
    assert learned(learner) == learned(without)


@pytest.mark.parametrize("label", [1e100, -1e100])
def test_the_largest_label_there_may_be(label):
    learner = Learner()
    assert np.isfinite(learner.learn(X, np.full(60, label))).all()
    assert np.isfinite(learner.progressive_loss)
    assert np.isfinite(learner.predict(X)).all()


@pytest.mark.parametrize("label", ["maybe", datetime.date(2020, 1, 1)])
def test_labels_that_are_no_numbers(label):
    with pytest.raises(DataError, match=r"row 1: label .* is not a number.*classes"):
        Learner().learn(THREE, [1.0, label, 2.0])


@pytest.mark.parametrize("labels", [[1.0, None, 2.0], [[1, 2], [3, None], [5, 6]]])
def test_none_among_labels_is_missing(labels):
    with pytest.raises(DataError, match=r"row 1: label nan is not a number \(missing"):
        Learner().learn(THREE, labels)


def test_labels_that_read_as_numbers():
    assert Learner().learn(THREE, ["1", "2.5", "-3"]).tobytes() == Learner().learn(THREE, [1, 2.5, -3]).tobytes()


def test_text_among_several_labels_a_row():
    with pytest.raises(DataError, match=r"row 1: label 'a' is not a number"):
        Learner().learn(X[:2], [[1, 2], [3, "a"]])


@pytest.mark.parametrize("labels", [[1.0, 2.0], [1.0] * 4, [], np.ones(61)])
@pytest.mark.parametrize(
    "rows", [THREE, csr_matrix(THREE), pa.table({"a": [1.0, 2.0, 3.0]})], ids=["dense", "csr", "table"]
)
def test_labels_of_a_wrong_number(rows, labels):
    with pytest.raises(UsageError, match=f"rows.*labels.*{len(labels)}|{len(labels)} labels"):
        Learner().learn(rows, labels)


@pytest.mark.parametrize("labels", [np.ones((3, 1, 1)), np.float64(3.0), np.ones((1, 3, 2, 1))])
def test_labels_of_too_many_or_too_few_dimensions(labels):
    with pytest.raises(UsageError, match=f"one or two dimensions, not {labels.ndim}"):
        Learner().learn(THREE, labels)


def test_labels_without_columns():
    with pytest.raises(UsageError):
        Learner().learn(THREE, np.ones((3, 0)))


@pytest.mark.parametrize("ndim", [0, 1, 3])
def test_rows_must_have_two_dimensions(ndim):
    with pytest.raises(UsageError, match=rf"{ndim} dimensions?, it must have two.*reshape\(1, -1\)"):
        Learner().learn(np.ones((3,) * ndim), [1.0, 2.0, 3.0])


def test_rows_of_text_are_refused_with_a_hint():
    with pytest.raises(DataError, match=r"not numbers.*pass a table"):
        Learner().learn([["a", "b"]], [1.0])


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        np.asarray,
        lambda y: y[:, None],
        lambda y: pd.Series(y, index=range(60, 0, -1)),
        pl.Series,
        pa.array,
        lambda y: pa.chunked_array([y[:7], y[7:]]),
        lambda y: pd.DataFrame({"y": y}),
        lambda y: pa.table({"y": y}),
        lambda y: pl.DataFrame({"y": y}),
        lambda y: y.astype(object),
    ],
    ids=[
        "list",
        "tuple",
        "array",
        "column",
        "pandas",
        "polars",
        "arrow",
        "chunked",
        "frame",
        "table",
        "pl.frame",
        "object",
    ],
)
def test_any_form_of_labels(form):
    assert Learner().learn(X, form(Y)).tobytes() == Learner().learn(X, Y).tobytes()


@pytest.mark.parametrize("index", [list("zyx"), [5, 3, 4]])
def test_the_index_of_a_frame_of_labels_is_no_label(index):
    frame = pd.DataFrame({"y": [1.0, 2.0, 3.0]}, index=index)
    assert Learner().learn(THREE, frame).tobytes() == Learner().learn(THREE, [1.0, 2.0, 3.0]).tobytes()


@pytest.mark.parametrize("labels", [[True, False, True], np.array([1, 0, 1], np.int8), np.array([1, 0, 1], np.float32)])
def test_labels_of_any_kind_of_number(labels):
    assert Learner().learn(THREE, labels).tobytes() == Learner().learn(THREE, [1.0, 0.0, 1.0]).tobytes()


def test_nulls_among_arrow_labels_are_missing():
    told = []
    p = Learner().learn(THREE, pa.array([1, None, 2]), on_bad_row=lambda row, why: told.append((row, why)))
    assert [row for row, _ in told] == [1]
    assert np.isnan(p[1])


# Weights.


@pytest.mark.parametrize(
    ("weights", "error", "why"),
    [
        ([1.0, -1.0, 1.0], DataError, "row 1: weight -1 "),
        ([1.0, 1.0, nan], DataError, "row 2: weight nan"),
        ([inf, 1.0, 1.0], DataError, "row 0: weight inf"),
        ([1.0, 1.0], UsageError, r"\(2,\).*3 rows"),
        ([[1.0, 1.0, 1.0]], UsageError, r"\(1, 3\).*3 rows"),
        (1.0, UsageError, r"\(\).*3 rows"),
    ],
)
def test_bad_weights(weights, error, why):
    learner = Learner()
    with pytest.raises(error, match=why):
        learner.learn(THREE, [1.0, 2.0, 3.0], weights)
    assert learner.examples == 0


def test_weights_of_text():
    with pytest.raises(unscaled.UnscaledError):
        Learner().learn(THREE, [1.0, 2.0, 3.0], ["a", "b", "c"])


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("rule", RULES)
def test_a_row_of_weight_zero_is_predicted_only(rule, layout, outputs):
    stream = linear_stream(22, outputs=outputs)
    Z = stream.X / np.abs(stream.X).max(axis=0)
    learner = Learner(rule, clip="labels")
    learner.learn(layout(Z[:40]), stream.Y[:40], np.ones(40))
    before = learned(learner)
    state = state_of(learner)
    rows = layout(7.0 * Z[40:])
    p = learner.learn(rows, 100.0 + stream.Y[40:], np.zeros(20))
    assert p.tobytes() == learner.predict(rows).tobytes()
    assert learned(learner) == before
    assert state_of(learner) == state
    assert (learner.examples, learner.weight) == (40, 40.0)


@pytest.mark.parametrize("rule", [name for name, rule in RULES.items() if rule.adaptive and not rule.moving])
def test_weights_add_up(rule):
    learner = Learner(rule)
    learner.learn(X, Y, np.full(60, 0.25))
    assert (learner.examples, learner.weight) == (60, 15.0)


# Infinite values.

INFINITE = X.copy()
INFINITE[4, 2], INFINITE[9, 0] = inf, -inf


def infinite_table(X):
    columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    return pa.table({**columns, "job": [f"j{i % 3}" for i in range(len(X))]})


FORMS = {
    "dense": (np.asarray, "x2", "x0"),
    "float32": (lambda X: X.astype(np.float32), "x2", "x0"),
    "csr": (csr_matrix, "x2", "x0"),
    "table": (infinite_table, "c2", "c0"),
    "table of numbers": (lambda X: infinite_table(X).drop_columns("job"), "c2", "c0"),
}


@pytest.mark.parametrize(
    "options", [{}, {"interactions": 2}, {"hash_bits": 8}, {"learning_rate": (0.1, 0.5)}, {"rule": "snag"}]
)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_an_infinite_value_is_named(form, options):
    layout, first, second = form
    rows = layout(INFINITE)
    with pytest.raises(DataError, match=f"row 4: {first} is infinite"):
        Learner(**options).learn(rows, Y)
    told = []
    learner = Learner(**options)
    p = learner.learn(rows, Y, on_bad_row=lambda row, why: told.append((row, why.split()[0])))
    assert told == [(4, first), (9, second)]
    good = np.setdiff1d(np.arange(60), [4, 9])
    assert np.isnan(p[[4, 9]]).all()
    without = Learner(**options)
    rows_without = rows.take(good) if isinstance(rows, pa.Table) else rows[good]
    assert without.learn(rows_without, Y[good]).tobytes() == p[good].tobytes()
    assert learned(learner) == learned(without)

    with pytest.raises(DataError, match=f"row 4: {first} is infinite"):
        learner.predict(rows)
    told.clear()
    q = learner.predict(rows, on_bad_row=lambda row, why: told.append((row, why.split()[0])))
    assert told == [(4, first), (9, second)]
    assert np.isnan(q[[4, 9]]).all()
    assert np.isfinite(q[good]).all()


def test_rows_are_numbered_through_the_chunks_of_a_table():
    table = infinite_table(INFINITE)
    chunks = pa.concat_tables([table.slice(0, 3), table.slice(3, 4), table.slice(7, 53)])
    told = []
    Learner().learn(chunks, Y, on_bad_row=lambda row, why: told.append(row))
    assert told == [4, 9]


def test_rows_above_a_bad_one_have_been_learned():
    learner = Learner()
    with pytest.raises(DataError):
        learner.learn(INFINITE, Y)
    until = Learner()
    until.learn(INFINITE[:4], Y[:4])
    assert learned(learner) == learned(until)


# Calls that do not fit together.


@pytest.mark.parametrize("rows", [X, csr_matrix(X), infinite_table(X)], ids=["dense", "csr", "table"])
def test_predict_before_learn(rows):
    with pytest.raises(UsageError, match="call learn first"):
        Learner().predict(rows)


def test_arrays_and_tables_do_not_mix():
    positional, by_name = Learner(), Learner()
    positional.learn(X, Y)
    by_name.learn(infinite_table(X), Y)
    with pytest.raises(DataError, match=r"plain arrays.*table"):
        positional.predict(infinite_table(X))
    with pytest.raises(DataError, match=r"named columns.*array"):
        by_name.learn(X, Y)


def test_another_number_of_columns():
    learner = Learner()
    learner.learn(X, Y)
    with pytest.raises(DataError, match=r"X has 4 columns.*5"):
        learner.predict(X[:, :4])
    with pytest.raises(DataError, match=r"X has 4 columns.*5"):
        learner.learn(X[:, :4], Y)


def test_a_sparse_matrix_may_have_more_or_fewer_columns():
    learner, padded = Learner(), Learner()
    narrow = csr_matrix(X[:, :3])
    learner.learn(narrow, Y)
    padded.learn(csr_matrix(np.column_stack([X[:, :3], np.zeros((60, 2))])), Y)
    assert learner.predict(csr_matrix(X)).tobytes() == learner.predict(narrow).tobytes()
    assert learner.learn(csr_matrix(X), Y).tobytes() == padded.learn(csr_matrix(X), Y).tobytes()
    assert learner.learn(narrow, Y).tobytes() == padded.learn(narrow, Y).tobytes()


def test_another_number_of_targets():
    learner = Learner()
    learner.learn(X, np.column_stack([Y, Y]))
    with pytest.raises(DataError, match=r"1 labels a row.*2"):
        learner.learn(X, Y)


# Shapes, several targets, classes.


@pytest.mark.parametrize(
    ("labels", "rates", "shape"),
    [
        (Y, 0.5, ()),
        (Y[:, None], 0.5, ()),
        (Y, (0.5, 0.1, 0.2), (3,)),
        (Y, (0.5,), ()),
        (np.column_stack([Y] * 2), 0.5, (2,)),
        (np.column_stack([Y] * 2), (0.5, 0.1, 0.2), (2, 3)),
        (np.column_stack([Y] * 12), (0.5, 0.1), (12, 2)),
    ],
)
def test_the_shape_of_scores(labels, rates, shape):
    learner = Learner(learning_rate=rates)
    assert learner.learn(X, labels).shape == (60, *shape)
    assert learner.predict(X[:7]).shape == (7, *shape)
    losses = learner.progressive_loss
    assert np.shape(losses) == ((len(rates),) if np.ndim(rates) and len(rates) > 1 else ())


def test_each_target_and_rate_is_as_if_alone():
    stream = linear_stream(23, outputs=3)
    rates = (0.5, 0.1)
    together = Learner(learning_rate=rates)
    p = together.learn(stream.X, stream.Y)
    q = together.predict(stream.X)
    losses = np.zeros(2)
    for output in range(3):
        for k, rate in enumerate(rates):
            alone = Learner(learning_rate=rate)
            np.testing.assert_allclose(
                p[:, output, k], alone.learn(stream.X, stream.Y[:, output]), rtol=1e-9, atol=1e-12
            )
            np.testing.assert_allclose(q[:, output, k], alone.predict(stream.X), rtol=1e-9, atol=1e-12)
            losses[k] += alone.progressive_loss / 3
    np.testing.assert_allclose(together.progressive_loss, losses, rtol=1e-9)


def test_several_labels_of_one_row_each_minus_or_plus_one():
    stream = linear_stream(24, outputs=4, labels=SIGN)
    learner = Learner(loss="logistic")
    p = learner.learn(stream.X, stream.Y)
    alone = Learner(loss="logistic").learn(stream.X, stream.Y[:, 3])
    np.testing.assert_allclose(p[:, 3], alone, rtol=1e-9, atol=1e-12)


def test_one_bad_label_of_several_spoils_the_row():
    labels = np.column_stack([Y, Y])
    labels[5, 1] = nan
    told = []
    p = Learner().learn(X, labels, on_bad_row=lambda row, why: told.append(row))
    assert told == [5]
    assert np.isnan(p[5]).all()


NAMES = np.array(["red", "green", "blue", "grey"])
COLOURS = NAMES[[min(3, i // 10 * (i % 4 > 0)) if i > 4 else i % 2 for i in range(60)]]


@pytest.mark.parametrize("loss", [name for name, loss in LOSSES.items() if loss.labels != COUNT])
@pytest.mark.parametrize("rule", RULES)
def test_a_class_declared_up_front_is_a_class_discovered(rule, loss):
    Z = X / np.abs(X).max(axis=0)
    order = list(dict.fromkeys(COLOURS.tolist()))
    assert len(order) == 4
    ours, theirs = Learner(rule, loss, classes=order), Learner(rule, loss, classes="auto")
    declared, discovered = ours.learn(Z, COLOURS), theirs.learn(Z, COLOURS)
    for k, name in enumerate(order):  # a class cannot be predicted before its first row is over
        first = COLOURS.tolist().index(name)
        assert np.isneginf(discovered[: first + 1, k]).all()
        assert declared[first + 1 :, k].tobytes() == discovered[first + 1 :, k].tobytes()
    assert ours.classes == theirs.classes == order
    assert ours.predict(Z).tobytes() == theirs.predict(Z).tobytes()
    assert ours.progressive_loss == theirs.progressive_loss
    assert ours.weights().equals(theirs.weights())


def test_two_classes_declared_up_front_are_one_margin():
    signs = np.where(Y > 0, 1.0, -1.0)
    words = np.where(Y > 0, "yes", "no")
    learner = Learner(loss="logistic", classes=["no", "yes"])
    p = learner.learn(X, words)
    assert p.shape == (60,)
    assert p.tobytes() == Learner(loss="logistic").learn(X, signs).tobytes()
    discovered = Learner(loss="logistic", classes="auto").learn(X, words)
    yes = list(dict.fromkeys(words.tolist())).index("yes")
    known = np.isfinite(discovered[:, yes])
    assert known[words.tolist().index("yes") + 1 :].all()
    np.testing.assert_allclose(discovered[known, yes], p[known], rtol=1e-9, atol=1e-12)


def test_a_class_that_was_not_declared():
    learner = Learner(loss="logistic", classes=["red", "green"])
    with pytest.raises(DataError, match=r"row 1: class 'gren' .*did you mean 'green'"):
        learner.learn(THREE, ["red", "gren", "green"])
    told = []
    p = learner.learn(THREE, ["red", "blue", "green"], on_bad_row=lambda row, why: told.append(row))
    assert told == [1]
    assert np.isnan(p).tolist() == [False, True, False]


@pytest.mark.parametrize("missing", [None, nan])
@pytest.mark.parametrize("classes", ["auto", ["a", "b", "c"]])
def test_a_missing_class(missing, classes):
    with pytest.raises(DataError, match="row 1: the class is missing"):
        Learner(loss="logistic", classes=classes).learn(THREE, ["a", missing, "b"])


@pytest.mark.parametrize("classes", ["auto", ["a", "b"]])
def test_classes_and_a_loss_for_counts_do_not_fit(classes):
    with pytest.raises(UsageError, match=r"classes.*counts"):
        Learner(loss="poisson", classes=classes)


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        [3, 1, 3],
        [True, False, True],
        np.array([3, 1, 3], np.int32),
        np.array(["a", "b", "a"]),
        pd.Series(["a", "b", "a"], dtype="category"),
        pl.Series(["a", "b", "a"]),
        pa.array(["a", "b", "a"]),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        [np.int64(3), np.int64(1), np.int64(3)],
    ],
    ids=[
        "text",
        "ints",
        "bools",
        "int32",
        "numpy text",
        "category",
        "polars",
        "arrow",
        "dictionary",
        "numpy ints",
    ],
)
def test_classes_of_any_kind(labels):
    learner = Learner(loss="logistic", classes="auto")
    p = learner.learn(THREE, labels)
    assert p.shape == (3, 2)
    assert p.tobytes() == Learner(loss="logistic", classes="auto").learn(THREE, [0, 1, 0]).tobytes()
    assert all(type(name) in (str, int, bool) for name in learner.classes)


def test_progressive_loss_is_the_mean_of_the_losses_before_each_update():
    learner = Learner()
    assert np.isnan(learner.progressive_loss)
    p = learner.learn(X, Y, STREAM.weights)
    assert learner.progressive_loss == pytest.approx(np.average((p - Y) ** 2, weights=STREAM.weights), rel=1e-12)


def test_clipping_to_the_labels_seen_before():
    learner = Learner(clip="labels", learning_rate=50.0, importance_aware=False)
    y = 10.0 + Y
    p = learner.learn(X, y)
    low, high = np.minimum.accumulate(y), np.maximum.accumulate(y)
    assert p[0] == 0.0
    assert (p[1:] >= low[:-1]).all()
    assert (p[1:] <= high[:-1]).all()
    assert (p[1:] == low[:-1]).any() or (p[1:] == high[:-1]).any()
    q = learner.predict(1e3 * X)
    assert q.min() >= y.min()
    assert q.max() <= y.max()


def test_clipping_to_two_numbers():
    p = Learner(clip=(-0.25, 1.5)).learn(X, 100.0 * Y)
    assert p.min() == -0.25
    assert p.max() == 1.5
