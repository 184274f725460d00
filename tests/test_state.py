"""What is learned survives saving, loading, copying and merging; a broken model file is told as one."""

import copy
import json
import os
import pickle
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import unscaled
from streams import kind_of_labels, learned, linear_stream, steps, streams
from unscaled import DataError, Learner, ModelFileError, UnscaledError, UsageError, load
from unscaled.losses import LOSSES, REAL
from unscaled.modelfile import FORMAT
from unscaled.rules import PAPER, RULES

ROWS = 60
STREAM = linear_stream(41, rows=ROWS, columns=4)
X = STREAM.X / np.abs(STREAM.X).max(axis=0)
Y = STREAM.Y[:, 0]
COLOURS = np.array(["red", "green", "blue", "grey"])[[min(3, i // 14 * (i % 3 > 0)) for i in range(ROWS)]]

TABLE = pa.table(
    {
        "b": X[:, 0],
        "a": [x if i > 25 else None for i, x in enumerate(X[:, 1])],
        "job": [["x", "y", None, "", "Gérard — 東京"][i * i % 5] for i in range(ROWS)],
        "late": [f"k{i % (2 if i < 45 else 5)}" if i > 30 else None for i in range(ROWS)],
        "tags": [[f"t{i % 4}"] if i % 2 else None for i in range(ROWS)],
    }
)
NUMBERS = TABLE.select(["b", "a"])

CASES = {
    **{f"{rule}": (X, Y, {"rule": rule}) for rule in RULES},
    **{f"{rule} csr": (csr_matrix(X), Y, {"rule": rule}) for rule in RULES},
    **{
        f"{loss}": (
            X,
            {"real": Y, "sign": np.sign(Y), "count": np.floor(abs(Y))}[kind_of_labels(loss)],
            {"loss": loss},
        )
        for loss in LOSSES
    },
    "parameters": (X, Y, {"rule": "sgd(0.25, 7)", "loss": "quantile(0.123456789)"}),
    "table": (TABLE, Y, {}),
    "table, nag": (TABLE, Y, {"rule": "nag"}),
    "table, snag": (TABLE, Y, {"rule": "snag"}),
    "open classes, nag": (TABLE, COLOURS, {"rule": "nag", "classes": "auto", "loss": "logistic"}),
    "table of numbers": (NUMBERS, Y, {}),
    "table with indicators": (TABLE, Y, {"missing_indicator": True}),
    "no intercept": (TABLE, Y, {"intercept": False}),
    "interactions": (TABLE, Y, {"interactions": 2}),
    "interactions of three": (X, Y, {"interactions": 3}),
    "pairs": (TABLE, Y, {"interactions": [("job", "*"), ("a", "b")]}),
    "hashed": (TABLE, Y, {"hash_bits": 5}),
    "hashed interactions": (TABLE, Y, {"hash_bits": 8, "interactions": 2}),
    "hashed array": (X, Y, {"hash_bits": 8, "interactions": 2}),
    "several rates": (X, Y, {"learning_rate": [0.1, 0.5, 1 / 3]}),
    "several targets": (X, np.column_stack([Y, -Y, Y * Y]), {}),
    "float32": (X, Y, {"dtype": "float32"}),
    "float32 lanes": (X, Y, {"dtype": "float32", "learning_rate": [0.1, 0.5]}),
    "clip": (X, Y, {"clip": (-0.5, 0.7)}),
    "clip labels": (X, Y, {"clip": "labels"}),
    "penalties": (X, Y, {"l1": 0.01, "l2": 0.1}),
    "plain steps": (X, Y, {"importance_aware": False}),
    "open classes": (X, COLOURS, {"classes": "auto", "loss": "logistic"}),
    "open classes of tables": (TABLE, COLOURS, {"classes": "auto", "loss": "hinge", "clip": "labels"}),
    "open numbers": (X, np.arange(ROWS) // 9, {"classes": "auto"}),
    "closed classes": (X, COLOURS, {"classes": ["red", "green", "blue", "grey"], "loss": "logistic"}),
    "two classes": (X, Y > 0, {"classes": [False, True], "loss": "logistic"}),
}

every_case = pytest.mark.parametrize(("X", "y", "options"), CASES.values(), ids=CASES)


def rows_of(X, begin, end):
    return X.slice(begin, end - begin) if isinstance(X, pa.Table) else X[begin:end]


def test_every_option_has_a_case():
    from dataclasses import fields

    from unscaled.options import Options

    used = {name for _, _, options in CASES.values() for name in options}
    assert used == {field.name for field in fields(Options)}


def assert_same_learner(ours, theirs):
    assert learned(ours) == learned(theirs)
    assert ours.options == theirs.options
    assert ours.classes == theirs.classes
    assert ours.features == theirs.features
    assert np.asarray(ours.progressive_loss).tobytes() == np.asarray(theirs.progressive_loss).tobytes()


@every_case
@pytest.mark.parametrize("weights", [None, STREAM.weights], ids=["", "weighted"])
def test_learning_on_after_a_load_is_as_if_uninterrupted(tmp_path, X, y, options, weights):
    whole, first = Learner(**options), Learner(**options)
    h = np.ones(ROWS) if weights is None else weights
    whole.learn(rows_of(X, 0, 35), y[:35], h[:35])
    expected = whole.learn(rows_of(X, 35, ROWS), y[35:], h[35:])

    first.learn(rows_of(X, 0, 35), y[:35], h[:35])
    before = learned(first)
    path = tmp_path / "model.parquet"
    first.save(path)
    assert learned(first) == before
    second = load(path)
    assert_same_learner(second, first)
    assert second.predict(rows_of(X, 35, ROWS)).tobytes() == first.predict(rows_of(X, 35, ROWS)).tobytes()
    assert second.learn(rows_of(X, 35, ROWS), y[35:], h[35:]).tobytes() == expected.tobytes()
    assert_same_learner(second, whole)
    # A second time, from what was learned after the first.
    second.save(path)
    assert_same_learner(load(path), whole)


@pytest.mark.parametrize("rule", RULES)
@given(stream=streams(REAL, exponents=st.integers(-3, 3)), cut=st.integers(0, 9))
@settings(max_examples=15)
def test_any_stream_may_be_interrupted(tmp_path_factory, rule, stream, cut):
    path = tmp_path_factory.mktemp("cut") / "model.parquet"
    rows = len(stream.X)
    cut = min(max(cut, 1), rows - 1)
    if rows == 1:
        return
    y, h = stream.Y[:, 0], stream.weights
    whole, first = (Learner(rule, **steps(rule, learning_rate=0.1)) for _ in range(2))
    expected = whole.learn(stream.X, y, h)
    first.learn(stream.X[:cut], y[:cut], h[:cut])
    first.save(path)
    second = load(path)
    assert second.learn(stream.X[cut:], y[cut:], h[cut:]).tobytes() == expected[cut:].tobytes()
    assert_same_learner(second, whole)


def test_what_was_attached_is_saved(tmp_path):
    learner = Learner()
    learner.learn(X, Y)
    learner.attached = {"target": "price", "nested": [1, 2.5, None, {"ü": True}]}
    learner.save(tmp_path / "model.parquet")
    assert load(tmp_path / "model.parquet").attached == learner.attached


@pytest.mark.parametrize("options", [{}, {"learning_rate": [0.1, 0.5]}, {"classes": ["a", "b", "c"]}])
def test_any_learner_that_has_learned_nothing_can_be_saved_and_looked_at(tmp_path, options):
    assert Learner(**options).weights().num_rows == 0
    Learner(**options).save(tmp_path / "model.parquet")
    p = load(tmp_path / "model.parquet").learn(X, np.resize(["a", "b"], ROWS) if "classes" in options else Y)
    assert p.shape[0] == ROWS


def test_a_learner_that_has_learned_nothing_can_be_saved(tmp_path):
    Learner("snag", classes="auto", loss="logistic").save(tmp_path / "model.parquet")
    learner = load(tmp_path / "model.parquet")
    assert (learner.examples, learner.classes, learner.features) == (0, [], 0)
    p = learner.learn(X, COLOURS)
    assert p.tobytes() == Learner("snag", classes="auto", loss="logistic").learn(X, COLOURS).tobytes()


def test_columns_that_were_always_zero_are_kept(tmp_path):
    learner = Learner()
    learner.learn(pa.table({"a": [1.0, 2.0], "zero": [0.0, 0.0]}), [1, 2])
    learner.save(tmp_path / "model.parquet")
    again = load(tmp_path / "model.parquet")
    with pytest.raises(DataError, match="zero"):
        again.predict(pa.table({"a": [1.0]}))
    both = pa.table({"a": [1.0, 2.0], "zero": [3.0, 0.0]})
    assert again.learn(both, [1, 2]).tobytes() == learner.learn(both, [1, 2]).tobytes()


@pytest.mark.parametrize(
    "classes", [[b"a", b"b"], [pd.Timestamp(2020, 1, 1), pd.Timestamp(2021, 1, 1)]], ids=["bytes", "dates"]
)
def test_classes_that_a_file_cannot_hold_are_refused(classes):
    with pytest.raises(UsageError, match="classes must be text, numbers or truth values"):
        Learner(loss="logistic", classes="auto").learn(X[:4], classes * 2)


# Copies.


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
@every_case
def test_copies_are_the_same_and_apart(X, y, options, copied):
    learner = Learner(**options)
    learner.learn(rows_of(X, 0, 35), y[:35])
    before = learned(learner)
    other = copied(learner)
    assert_same_learner(other, learner)
    p = other.learn(rows_of(X, 35, ROWS), y[35:])
    assert learned(learner) == before
    assert learner.learn(rows_of(X, 35, ROWS), y[35:]).tobytes() == p.tobytes()
    assert_same_learner(other, learner)


# Merging.


def halves(X, y, options, weights=None):
    h = np.ones(ROWS) if weights is None else weights
    left, right = Learner(**options), Learner(**options)
    left.learn(rows_of(X, 0, 35), y[:35], h[:35])
    right.learn(rows_of(X, 35, ROWS), y[35:], h[35:])
    return left, right


def by_name(learner):
    """Like `learned`, but with lanes and columns sorted: two merges may order them differently."""
    table = learner.weights()
    columns = sorted(name for name in table.column_names if name != "effect")
    numbers = learner._numbers
    names = learner.classes if learner.classes is not None else [None]
    lanes = sorted(
        (str(names[k] if k < len(names) else k), *(lane[k] for lane in numbers.lanes)) for k in range(numbers.width)
    )
    rows = {
        tuple(sorted(row["feature"].split(" * "))): tuple(row[c] for c in columns if c != "feature")
        for row in table.to_pylist()
    }
    return rows, learner.examples, learner.weight, numbers.totals.tolist()[:3], lanes  # beyond are slots


def assert_nearly(ours, theirs, rel):
    a, b = by_name(ours), by_name(theirs)
    assert a[0].keys() == b[0].keys()
    for name in a[0]:
        for one, other in zip(a[0][name], b[0][name], strict=True):
            assert one == (pytest.approx(other, rel=rel, abs=rel) if isinstance(one, float) else other)
    assert a[1] == b[1]
    assert a[2:4] == (pytest.approx(b[2], rel=1e-12), pytest.approx(b[3], rel=1e-12))


MERGEABLE = {name: case for name, case in CASES.items() if "hashed interactions" not in name}
every_mergeable_case = pytest.mark.parametrize(("X", "y", "options"), MERGEABLE.values(), ids=MERGEABLE)


@every_mergeable_case
def test_merging_is_commutative(X, y, options):
    left, right = halves(X, y, options, STREAM.weights)
    before = learned(left), learned(right)
    one, other = left.merge(right), right.merge(left)
    assert (learned(left), learned(right)) == before
    # Matrices are inverted in the order of the slots, which is that of the learner that merges.
    assert_nearly(one, other, 1e-9 if one.options.finds_its_rate else 1e-15)
    p, q = one.predict(X), other.predict(X)
    if one.classes:
        q = q[:, [other.classes.index(name) for name in one.classes]] if q.ndim > 1 else q
    np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-12)


@every_case
def test_an_empty_learner_changes_nothing(X, y, options):
    left, _ = halves(X, y, options)
    for merged in (left.merge(Learner(**options)), Learner(**options).merge(left)):
        assert_same_learner(merged, left)
        assert merged.predict(X).tobytes() == left.predict(X).tobytes()
    nothing = Learner(**options).merge(Learner(**options))
    assert nothing.examples == 0


@every_mergeable_case
def test_merging_is_associative(X, y, options):
    parts = []
    for begin, end in ((0, 25), (25, 40), (40, ROWS)):
        part = Learner(**options)
        part.learn(rows_of(X, begin, end), y[begin:end])
        parts.append(part)
    a, b, c = parts
    rel = 1e-5 if options.get("dtype") == "float32" else 1e-9
    if options.get("classes") == "auto":
        # A class that one side has not met is, there, the lane for classes unseen, whichever side is first.
        assert set(a.merge(b).merge(c).classes) == set(a.merge(b.merge(c)).classes)
    assert_nearly(a.merge(b).merge(c), a.merge(b.merge(c)), rel)


@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("rule", PAPER)
def test_what_a_merge_adds_and_what_it_takes_the_larger_of(rule, layout):
    h = STREAM.weights
    left, right = halves(layout(X), Y, {"rule": rule}, h)
    whole = left.merge(right)
    a, b, c = left._numbers, right._numbers, whole._numbers
    assert whole.examples == left.examples + right.examples == ROWS
    assert whole.weight == pytest.approx(left.weight + right.weight)
    np.testing.assert_allclose(c.count, a.count + b.count)
    np.testing.assert_allclose(c.totals, a.totals + b.totals)
    np.testing.assert_allclose(c.lanes.loss, a.lanes.loss + b.lanes.loss)
    moving, adaptive, normalised = (getattr(RULES[rule], name) for name in ("moving", "adaptive", "normalised"))
    expected = np.sqrt(a.scale**2 + b.scale**2) if moving else np.maximum(a.scale, b.scale)
    np.testing.assert_allclose(c.scale, expected)
    if adaptive:
        squares = [n.gamma[:, 0] * (n.scale**2 if normalised else 1.0) for n in (a, b, c)]
        np.testing.assert_allclose(squares[2], squares[0] + squares[1])
    # The weights are averaged by counts.
    table = {row["feature"]: row for row in whole.weights().to_pylist()}
    rows = [{row["feature"]: row for row in side.weights().to_pylist()} for side in (left, right)]
    for name, row in table.items():
        sides = [(side[name]["weight"], side[name]["count"]) for side in rows]
        mean = sum(w * n for w, n in sides) / sum(n for _, n in sides)
        assert row["weight"] == pytest.approx(mean, rel=1e-12), name


def test_merging_matches_features_by_name():
    left, right = Learner("nag"), Learner("nag")
    left.learn(pa.table({"a": [1.0, 2.0], "job": ["x", "y"]}), [1, 2])
    right.learn(pa.table({"z": [5.0, 6.0], "job": ["y", "z"], "a": [4.0, 5.0]}), [1, 2])
    whole = left.merge(right)
    rows = {row["feature"]: row for row in whole.weights().to_pylist()}
    assert set(rows) == {"(intercept)", "a", "z", "job=x", "job=y", "job=z"}
    assert (rows["a"]["count"], rows["a"]["scale"]) == (4.0, 5.0)
    assert (rows["z"]["count"], rows["z"]["scale"]) == (2.0, 6.0)
    assert [rows[f"job={job}"]["count"] for job in "xyz"] == [1.0, 2.0, 1.0]
    theirs = {row["feature"]: row["weight"] for row in right.weights().to_pylist()}
    assert rows["z"]["weight"] == theirs["z"]
    assert rows["job=z"]["weight"] == theirs["job=z"]
    with pytest.raises(DataError, match="no column"):
        whole.predict(pa.table({"a": [1.0], "job": ["x"]}))


@pytest.mark.parametrize("interactions", [2, 3])
def test_merging_matches_interactions_by_name(interactions):
    left, right = (Learner("nag", interactions=interactions) for _ in range(2))
    left.learn(pa.table({"b": [1.0, 2.0], "c": [1.0, 3.0]}), [1, 2])
    right.learn(pa.table({"a": [5.0, 6.0], "c": [1.0, 2.0]}), [1, 2])
    rows = {frozenset(row["feature"].split(" * ")): row for row in left.merge(right).weights().to_pylist()}
    assert rows[frozenset({"a", "c"})]["scale"] >= 12.0
    assert {row["feature"]: row for row in left.merge(right).weights().to_pylist()}["c"]["count"] == 4.0
    assert frozenset({"a", "b"}) not in rows


def test_merging_matches_hashed_interactions_by_name():
    merged = []
    for hash_bits in (None, 18):
        left, right = (Learner("nag", interactions=2, hash_bits=hash_bits) for _ in range(2))
        left.learn(pa.table({"a": X[:, 0], "b": X[:, 1]}), Y)
        right.learn(pa.table({"a": X[:, 0], "c": X[:, 2]}), -Y)
        merged.append(left.merge(right).predict(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})))
    np.testing.assert_allclose(merged[0], merged[1], rtol=1e-9, atol=1e-12)


def test_merging_unites_classes():
    left, right = (Learner(loss="logistic", classes="auto") for _ in range(2))
    left.learn(X[:30], np.resize(["a", "b"], 30))
    right.learn(X[30:], np.resize(["c", "b"], 30))
    whole = left.merge(right)
    assert whole.classes == ["a", "b", "c"]
    p = whole.learn(X, np.resize(["d", "c", "b", "a"], ROWS))
    assert whole.classes == ["a", "b", "c", "d"]
    assert p.shape == (ROWS, 4)
    # The lane of a class is pooled with the other side's lane for classes unseen.
    other = right.merge(left)
    np.testing.assert_allclose(
        left.merge(right).predict(X)[:, 0],
        other.predict(X)[:, other.classes.index("a")],
        rtol=1e-12,
        atol=1e-12,
    )


def errors_of_halves_and_wholes(rule, seed):
    """Mean squared errors on new rows: two halves, their merger, and a learner that saw all rows."""
    generator = np.random.default_rng(seed)
    units = np.array([1e-3, 1.0, 10.0, 1e3, 1e5])
    rows = generator.normal(size=(6000, 5)) * units
    labels = rows @ (generator.normal(size=5) / units) + 0.1 * generator.normal(size=6000)
    learners = [Learner(rule) for _ in range(3)]
    for learner, part in zip(learners, (slice(0, 2000), slice(2000, 4000), slice(0, 4000)), strict=True):
        learner.learn(rows[part], labels[part])
    left, right, whole = learners
    scores = [learner.predict(rows[4000:]) for learner in (left, right, left.merge(right), whole)]
    return [np.mean((p - labels[4000:]) ** 2) / labels.var() for p in scores]


@pytest.mark.parametrize("rule", [name for name, rule in RULES.items() if rule.normalised])
def test_a_merged_model_is_no_worse_than_the_worse_half(rule):
    for seed in (3, 4, 5):
        left, right, merged, whole = errors_of_halves_and_wholes(rule, seed)
        assert merged <= 1.05 * max(left, right)
        if RULES[rule].moving:  # it has converged by then, and the mean of two that have is as good as one
            assert merged <= 1.5 * whole + 1e-3


@pytest.mark.parametrize("rule", [name for name, rule in RULES.items() if rule.normalised])
def test_a_merged_model_is_a_good_one(rule):
    for seed in (3, 4, 5):
        assert errors_of_halves_and_wholes(rule, seed)[2] <= 0.05


@pytest.mark.parametrize(
    ("left", "right"),
    [({"rule": "nag"}, {"rule": "ng"}), ({}, {"learning_rate": 0.1}), ({}, {"loss": "huber"})],
)
def test_learners_of_different_options_do_not_merge(left, right):
    (name,) = {**left, **right}.keys()
    with pytest.raises(UsageError, match=name):
        Learner(**left).merge(Learner(**right))


def test_learners_of_different_data_do_not_merge():
    array, table, text = Learner(), Learner(), Learner()
    array.learn(X, Y)
    table.learn(pa.table({"a": [1.0]}), [1.0])
    text.learn(pa.table({"a": ["x"]}), [1.0])
    with pytest.raises(DataError, match=r"tables.*arrays"):
        array.merge(table)
    with pytest.raises(DataError, match="'a' is a number here and a category there"):
        table.merge(text)
    targets = Learner()
    targets.learn(X, np.column_stack([Y, Y]))
    with pytest.raises(UsageError, match="targets"):
        array.merge(targets)


# The model file.


@pytest.fixture
def model(tmp_path):
    learner = Learner(loss="logistic", classes="auto")
    learner.learn(TABLE, COLOURS)
    path = tmp_path / "a model.parquet"
    learner.save(path)
    return path


def refused(path):
    """The message of the one exception that a broken file may raise."""
    with pytest.raises(ModelFileError) as caught:
        load(path)
    assert Path(path).name in str(caught.value)
    return str(caught.value)


def test_a_model_is_a_table_with_a_row_a_feature(model):
    learner = load(model)
    features = set(learner.weights()["feature"].to_pylist())
    frame = pd.read_parquet(model)
    assert features <= set(frame["feature"])
    assert frame["feature"].is_unique
    assert {"feature", "column", "value", "weight[red]", "scale", "count"} <= set(frame.columns)
    found = duckdb.sql(f"select count(*) from '{model}' where count > 0").fetchall()
    assert found == [(len(features),)]
    theirs = dict(duckdb.sql(f"""select feature, "weight[blue]" from '{model}' where count > 0""").fetchall())
    ours = {row["feature"]: row["weight[blue]"] for row in learner.weights().to_pylist()}
    assert theirs == ours


@pytest.mark.parametrize("part", [0, 1, 4, 8, 100, 0.25, 0.5, 0.75, 0.99, -8, -4, -1])
def test_a_truncated_file(model, part):
    whole = model.read_bytes()
    length = int(part * len(whole)) if isinstance(part, float) else part if part >= 0 else len(whole) + part
    model.write_bytes(whole[:length])
    refused(model)


def test_an_altered_file_is_refused_or_says_the_same(model):
    """Not every byte of a Parquet file says something; but none may be turned into another model."""
    whole, expected = model.read_bytes(), learned(load(model))
    generator = np.random.default_rng(0)
    places = np.unique(
        np.concatenate([np.arange(0, len(whole), max(1, len(whole) // 150)), np.arange(-40, 0) % len(whole)])
    )
    refusals = 0
    for place in places.tolist():
        bytes_ = bytearray(whole)
        bytes_[place] ^= int(generator.integers(1, 256))
        model.write_bytes(bytes_)
        message = ""
        try:
            found = learned(load(model))
        except ModelFileError as error:
            message = str(error)
        if message:
            refusals += 1
            assert model.name in message
        else:
            assert found == expected
    assert refusals > len(places) / 2


def rewritten(path, change_table=lambda t: t, change=lambda d: d):
    table = pq.read_table(path)
    described = change(json.loads(table.schema.metadata[b"unscaled"]))
    table = change_table(table)
    metadata = {b"unscaled": described if isinstance(described, bytes) else json.dumps(described).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path)


def test_rewriting_a_file_without_a_change_is_fine(model):
    expected = learned(load(model))
    rewritten(model)
    assert learned(load(model)) == expected


@pytest.mark.parametrize("column", ["v0", "gamma1", "s", "count", "weight[red]", "scale", "feature", "slot"])
def test_a_changed_number_is_noticed(model, column):
    def change(table):
        values = table[column].to_pylist()
        values[1] = values[1] + "x" if isinstance(values[1], str) else type(values[1])(values[1] + 1)
        at = table.column_names.index(column)
        return table.set_column(at, column, pa.array(values, table[column].type))

    rewritten(model, change)
    assert "altered" in refused(model)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.slice(1),
        lambda t: t.drop_columns("v0"),
        lambda t: t.take(list(range(t.num_rows))[::-1]),
        lambda t: t.append_column("more", pa.array([0] * t.num_rows)),
        lambda t: t.rename_columns([f"{name}_" for name in t.column_names]),
        lambda t: t.set_column(0, "feature", t["feature"].dictionary_encode()),
    ],
    ids=["a row less", "a column less", "turned around", "a column more", "renamed", "another type"],
)
def test_a_changed_table_is_noticed(model, change):
    rewritten(model, change)
    assert "altered" in refused(model)


@pytest.mark.parametrize("key", ["examples", "weight", "totals", "lanes", "options", "target", "features", "attached"])
def test_changed_metadata_is_noticed(model, key):
    rewritten(model, change=lambda d: {**d, key: None})
    assert "altered" in refused(model)
    rewritten(model, change=lambda d: {k: v for k, v in d.items() if k != key})
    assert "altered" in refused(model)


def test_a_file_without_a_checksum(model):
    rewritten(model, change=lambda d: {k: v for k, v in d.items() if k != "checksum"})
    refused(model)


@pytest.mark.parametrize("metadata", [b"", b"{", b"\xff\xfe", b"{}"])
def test_metadata_that_is_not_ours(model, metadata):
    rewritten(model, change=lambda d: metadata)
    refused(model)


@pytest.mark.parametrize("metadata", [b"[]", b"3", b'"text"', b'{"format": "x"}', b"null"])
def test_metadata_of_another_shape(model, metadata):
    rewritten(model, change=lambda d: metadata)
    refused(model)


def test_a_newer_format(model):
    rewritten(model, change=lambda d: {**d, "format": FORMAT + 1, "version": "99.1"})
    message = refused(model)
    assert "99.1" in message
    assert "update unscaled" in message


def test_files_that_are_no_models(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "foreign.parquet")
    assert "not a model" in refused(tmp_path / "foreign.parquet")
    (tmp_path / "text.parquet").write_text("hello, " * 100)
    refused(tmp_path / "text.parquet")
    (tmp_path / "empty.parquet").touch()
    refused(tmp_path / "empty.parquet")
    (tmp_path / "folder.parquet").mkdir()
    assert "folder" in refused(tmp_path / "folder.parquet")
    assert "no such" in refused(tmp_path / "missing.parquet")
    refused(tmp_path / "empty.parquet" / "below")


def test_paths_may_be_text(model):
    assert learned(load(str(model))) == learned(load(model))


# Writing.


def no_leftovers(folder):
    return [path.name for path in folder.iterdir() if ".part" in path.name] == []


def test_saving_replaces_the_file_whole(model):
    learner = load(model)
    learner.learn(TABLE, COLOURS)
    learner.save(model)
    assert learned(load(model)) == learned(learner)
    assert no_leftovers(model.parent)


def test_saving_through_a_link_replaces_what_it_points_to(model):
    link = model.with_name("link.parquet")
    link.symlink_to(model)
    learner = Learner()
    learner.learn(X, Y)
    learner.save(link)
    assert link.is_symlink()
    assert load(model).examples == ROWS
    assert load(model).options == learner.options


def test_a_write_that_fails_leaves_the_old_file(model, monkeypatch):
    before = model.read_bytes()
    learner = Learner()
    learner.learn(X, Y)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    for name in ("pyarrow.parquet.write_table", "os.replace", "os.fsync"):
        with monkeypatch.context() as patch:
            patch.setattr(name, full)
            with pytest.raises(UnscaledError, match=r"a model\.parquet: No space left"):
                learner.save(model)
        assert model.read_bytes() == before
        assert no_leftovers(model.parent)


def test_targets_that_cannot_be_written(tmp_path, model):
    learner = Learner()
    learner.learn(X, Y)
    before = model.read_bytes()
    for target in (tmp_path / "no" / "folder.parquet", tmp_path, model / "below", tmp_path / ("x" * 300)):
        with pytest.raises(UnscaledError, match="cannot write the model"):
            learner.save(target)
    assert model.read_bytes() == before
    assert no_leftovers(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_to(model):
    before = model.read_bytes()
    model.parent.chmod(0o500)
    try:
        with pytest.raises(UnscaledError, match="cannot write the model"):
            load(model).save(model)
    finally:
        model.parent.chmod(0o700)
    assert model.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_device():
    learner = Learner()
    learner.learn(X, Y)
    with pytest.raises(UnscaledError, match="/dev/full: No space left"):
        learner.save("/dev/full")
    assert Path("/dev/full").is_char_device()


def test_the_public_names_are_there():
    assert unscaled.load is load
    assert issubclass(ModelFileError, DataError)
    assert issubclass(DataError, UnscaledError)
