"""The metrics are those of the predictions made before each update, as scikit-learn computes them."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn import metrics as judge

from unscaled import Learner
from unscaled.scores import class_codes, class_probabilities, probability

from .conftest import good, write

ROWS = 400


def draw(seed: int = 0, rows: int = ROWS) -> dict[str, Any]:
    """Features, a number, a count, signs, two classes, and four classes of which two appear late."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=rows), rng.normal(3.0, 50.0, size=rows)
    score = x + z / 50.0 + rng.normal(0.0, 0.5, size=rows)
    late = np.digitize(score, [-0.5, 1.0]) + np.where((np.arange(rows) > rows // 2) & (rng.random(rows) < 0.2), 2, 0)
    late[: rows // 4] = 0
    return {
        "x": x,
        "z": z,
        "w": rng.choice([0.0, 0.5, 1.0, 3.0], size=rows),
        "y": 100.0 + 7.0 * score,
        "y2": 3.0 * x - score,
        "n": rng.poisson(np.exp(0.5 * x)).astype(float),
        "s": np.where(score > 0.0, 1.0, -1.0),
        "s2": np.where(x > 0.5, 1.0, -1.0),
        "two": np.where(score > 0.5, "yes", "no"),
        "many": np.array(["a", "b", "c", "d", "e"])[np.minimum(late, 4)],
    }


def files(data: dict[str, Any], count: int, name: str = "d") -> str:
    """The rows in so many files, hence in so many batches; one row a file is one row a batch."""
    table = pa.table(data)
    step = -(-table.num_rows // count)
    names = []
    for k in range(0, table.num_rows, step):
        names.append(f"{name}{k:05}.parquet")
        pq.write_table(table.slice(k, step), names[-1])
    return " ".join(names)


def told(options: str, data: dict[str, Any], count: int = 1) -> dict[str, Any]:
    return good(f"train {files(data, count)} --json {options}").json


def scores_of(target: str | list[str], data: dict[str, Any], weights: Any, **options: Any) -> tuple[Learner, Any]:
    """What the learner itself gives, row by row, for a table of x and z."""
    learner = Learner(**options)
    y = data[target] if isinstance(target, str) else np.stack([data[name] for name in target], axis=1)
    scores = learner.learn(pa.table({"x": data["x"], "z": data["z"]}), y, weights)
    return learner, scores


def ignoring(*kept: str) -> str:
    return " ".join(f"--ignore {name}" for name in draw(rows=1) if name not in ("x", "z", *kept))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["squared", "absolute", "huber(3)", "quantile(0.8)"])
def test_regression(loss: str, weighted: bool) -> None:
    data = draw()
    weights = data["w"] if weighted else None
    _, scores = scores_of("y", data, weights, loss=loss)
    found = told(f"--target y --loss '{loss}' {'--weight w' if weighted else ''} {ignoring('y', 'w' * weighted)}", data)
    mse = judge.mean_squared_error(data["y"], scores, sample_weight=weights)
    assert found["metrics"] == pytest.approx(
        {
            "mse": mse,
            "rmse": mse**0.5,
            "mae": judge.mean_absolute_error(data["y"], scores, sample_weight=weights),
            "r2": judge.r2_score(data["y"], scores, sample_weight=weights),
        },
        rel=1e-9,
    )
    assert found["examples"] == (np.count_nonzero(weights) if weighted else ROWS)
    if loss == "squared":
        assert found["progressive_loss"] == pytest.approx(mse, rel=1e-9)


def test_several_targets() -> None:
    data = draw()
    _, scores = scores_of(["y", "y2"], data, data["w"])
    found = told(f"--target y --target y2 --weight w {ignoring('y', 'y2', 'w')}", data)["metrics"]
    truth = np.stack([data["y"], data["y2"]], axis=1)
    expected = {
        "mse": judge.mean_squared_error(truth, scores, sample_weight=data["w"]),
        "rmse": judge.root_mean_squared_error(truth, scores, sample_weight=data["w"]),
        "mae": judge.mean_absolute_error(truth, scores, sample_weight=data["w"]),
        "r2": judge.r2_score(truth, scores, sample_weight=data["w"]),
    }
    assert found == pytest.approx(expected, rel=1e-9)


def test_rates() -> None:
    data = draw()
    learner, scores = scores_of("n", data, None, loss="poisson")
    found = told(f"--target n --loss poisson {ignoring('n')}", data)
    assert found["metrics"]["mse"] == pytest.approx(judge.mean_squared_error(data["n"], np.exp(scores)), rel=1e-9)
    assert found["metrics"]["mae"] == pytest.approx(judge.mean_absolute_error(data["n"], np.exp(scores)), rel=1e-9)
    assert found["progressive_loss"] == learner.progressive_loss
    assert found["progressive_loss"] == pytest.approx(np.mean(np.exp(scores) - data["n"] * scores), rel=1e-9)


def judged_classes(learner: Learner, scores: Any, labels: Any, weights: Any) -> dict[str, Any]:
    classes = learner.classes
    assert classes is not None
    codes = np.array([classes.index(str(label)) for label in labels])
    predicted = class_codes(scores)
    expected: dict[str, Any] = {
        "error": 1.0 - judge.accuracy_score(codes, predicted, sample_weight=weights),
        "recall": dict(
            zip(
                classes,
                judge.recall_score(
                    codes, predicted, labels=range(len(classes)), average=None, sample_weight=weights, zero_division=0
                ),
                strict=True,
            )
        ),
    }
    if learner.options.loss.__class__.__name__ in ("Logistic", "Squared"):
        chances = class_probabilities(learner.options.loss, scores)
        with warnings.catch_warnings():  # rows before the first class was known sum up to 0
            warnings.simplefilter("ignore")
            expected["log_loss"] = judge.log_loss(codes, chances, sample_weight=weights, labels=range(len(classes)))
    if len(classes) == 2:
        if scores.ndim == 2:  # before both are known, nothing is said for either
            known = np.isfinite(scores).all(axis=1)
            scores = np.where(known, scores[:, 1], 0.0) - np.where(known, scores[:, 0], 0.0)
        margins = scores
        expected["auc"] = pytest.approx(judge.roc_auc_score(codes, margins, sample_weight=weights), abs=0.005)
    return expected


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared"])
@pytest.mark.parametrize(
    ("target", "given"), [("two", "auto"), ("two", "no,yes"), ("many", "auto"), ("many", "e,d,c,b,a")]
)
def test_classes(loss: str, target: str, given: str, weighted: bool) -> None:
    data = draw()
    weights = data["w"] if weighted else None
    options = {"classes": given if given == "auto" else given.split(",")}
    learner, scores = scores_of(target, data, weights, loss=loss, **options)
    weight = "--weight w" if weighted else ""
    found = told(f"--target {target} --loss {loss} --classes {given} {weight} {ignoring(target, 'w' * weighted)}", data)
    expected = judged_classes(learner, scores, data[target], weights)
    assert found["classes"] == learner.classes
    assert set(found["metrics"]) == set(expected)
    assert found["metrics"]["recall"] == pytest.approx(expected.pop("recall"), abs=1e-9)
    if "auc" in expected:
        assert found["metrics"]["auc"] == expected.pop("auc")
    assert {name: found["metrics"][name] for name in expected} == pytest.approx(expected, rel=1e-9)


def test_classes_that_appear_late_cost_the_rows_in_which_they_appear() -> None:
    """No class can be predicted before it was met, so that of its first row is never right."""
    write("c.csv", "x,k\n" + "1,a\n" * 5 + "9,b\n" + "1,a\n" * 4)
    found = good("train c.csv --target k --json").json["metrics"]
    learner = Learner(loss="logistic", classes="auto")
    labels = np.array(["a"] * 5 + ["b"] + ["a"] * 4)
    scores = learner.learn(pa.table({"x": [1.0] * 5 + [9.0] + [1.0] * 4}), labels)
    wrong = class_codes(scores) != np.where(labels == "a", 0, 1)
    assert wrong[0]
    assert wrong[5]
    assert found["error"] == wrong.mean()
    assert found["recall"]["b"] == 0.0


@pytest.mark.parametrize("targets", [["s", "s2"]])
def test_several_signs(targets: list[str]) -> None:
    data = draw()
    learner, scores = scores_of(targets, data, data["w"], loss="logistic")
    kept = ignoring(*targets, "w")
    found = told(f"--loss logistic --weight w {' '.join(f'--target {each}' for each in targets)} {kept}", data)
    truth = np.stack([data[name] for name in targets], axis=1)
    wrong = np.mean([judge.zero_one_loss(truth[:, k], np.where(scores[:, k] > 0, 1.0, -1.0), sample_weight=data["w"])
                     for k in range(2)])  # fmt: skip
    chances = probability(learner.options.loss, scores)
    cost = np.mean([judge.log_loss(truth[:, k] > 0, chances[:, k], sample_weight=data["w"]) for k in range(2)])
    assert found["metrics"]["error"] == pytest.approx(wrong, rel=1e-9)
    assert found["metrics"]["log_loss"] == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize("broken", ["w", "x"])
@pytest.mark.parametrize("target", ["y", "two", "many"])
def test_skipped_rows_do_not_count(target: str, broken: str) -> None:
    data = draw()
    bad = np.arange(ROWS) % 7 == 3
    sound = {name: column[~bad] for name, column in data.items()}
    data[broken] = np.where(bad, np.inf, data[broken])
    options = f"--target {target} --weight w {ignoring(target, 'w')}"
    clean, skipping = told(options, sound), told(f"{options} --bad-rows skip", data)
    assert skipping["skipped"] == bad.sum()
    names = ("metrics", "examples", "progressive_loss", "classes")
    assert {name: skipping[name] for name in names} == {name: clean[name] for name in names}


TASKS = {
    "regression": f"--target y {ignoring('y')}",
    "several": f"--target y --target y2 --weight w {ignoring('y', 'y2', 'w')}",
    "counts": f"--target n --loss poisson {ignoring('n')}",
    "two": f"--target two --weight w {ignoring('two', 'w')}",
    "closed": f"--target two --classes no,yes {ignoring('two')}",
    "many": f"--target many {ignoring('many')}",
    "signs": f"--target s --target s2 --loss logistic {ignoring('s', 's2')}",
    "rates": f"--target y --learning-rate 0.1,0.5 {ignoring('y')}",
}


def model_of(path: str) -> tuple[pa.Table, bytes]:
    table = pq.read_table(path)
    return table, table.schema.metadata[b"unscaled"]


@pytest.mark.parametrize("task", TASKS)
def test_batches_change_no_bit(task: str) -> None:
    data = draw(rows=120)
    whole = told(f"{TASKS[task]} --model whole.model", data)
    for count, progress in ((120, ""), (7, ""), (1, "--progress"), (7, "--checkpoint-every 5")):
        found = good(f"train {files(data, count, 'p')} --json {TASKS[task]} --model part.model {progress}").json
        different = {name for name in whole if whole[name] != found[name]}
        assert different <= {"seconds", "model"}
        assert Path("part.model").read_bytes() == Path("whole.model").read_bytes()
        for path in Path().glob("p*.parquet"):
            path.unlink()


@pytest.mark.parametrize("task", TASKS)
def test_a_resumed_run_changes_no_bit(task: str) -> None:
    data = draw(rows=120)
    whole = told(f"{TASKS[task]} --model whole.model", data)
    files({name: column[:50] for name, column in data.items()}, 1, "first")
    files({name: column[50:] for name, column in data.items()}, 1, "then")
    good(f"train first00000.parquet {TASKS[task]} --model part.model")
    found = good("train then00000.parquet --resume part.model --model part.model --json").json
    different = {name for name in whole if whole[name] != found[name]}
    assert different <= {"seconds", "model", "rows"}
    assert Path("part.model").read_bytes() == Path("whole.model").read_bytes()


def test_only_the_first_of_several_passes_is_in_the_metrics() -> None:
    data = draw(rows=120)
    once = told(f"{TASKS['two']} --model once.model", data)
    thrice = told(f"{TASKS['two']} --passes 3 --model thrice.model", data)
    assert thrice["metrics"] == once["metrics"]
    assert thrice["progressive_loss"] == once["progressive_loss"]
    assert (thrice["rows"], thrice["examples"]) == (360, 3 * once["examples"])
    twice = Learner(classes="auto", loss="logistic")
    for _ in range(3):
        twice.learn(pa.table({"x": data["x"], "z": data["z"]}), data["two"], data["w"])
    assert model_of("thrice.model")[0]["weight[no]"].to_pylist() != model_of("once.model")[0]["weight[no]"].to_pylist()
    weights = {row["feature"]: row["weight[no]"] for row in twice.weights().to_pylist()}
    kept = {row["feature"]: row["weight[no]"] for row in model_of("thrice.model")[0].to_pylist()}
    assert kept == weights


def test_a_learner_that_diverges_says_so() -> None:
    """What is no number is null in JSON: it must not be left out of the mean."""
    write("big.csv", "x,y\n" + "".join(f"{1e200 * (i + 1)},{i}\n" for i in range(20)))
    found = good("train big.csv --target y --rule sgd --no-importance-aware --json --model m").json
    assert found["metrics"] == {"mse": None, "rmse": None, "mae": None, "r2": None}
    assert found["progressive_loss"] is None
    write("big.csv", "x,y\n" + "".join(f"{1e200 * (i + 1)},{'ab'[i % 2]}\n" for i in range(20)))
    found = good("train big.csv --target y --loss squared --classes auto --rule sgd --no-importance-aware --json").json
    assert found["examples"] == 20
    assert good("inspect m --json").json["progressive loss"] is None


def test_rows_of_weight_zero_only() -> None:
    write("a.csv", "x,w,y\n1,0,1\n2,0,3\n")
    found = good("train a.csv --target y --weight w --json").json
    assert (found["examples"], found["metrics"], found["progressive_loss"], found["rows"]) == (0, {}, None, 2)
    assert "progressive squared loss  – (no example was learned)" in good("train a.csv --target y --weight w").out


def test_a_constant_label_has_no_r2() -> None:
    write("a.csv", "x,y\n1,5\n2,5\n3,5\n")
    assert good("train a.csv --target y --json").json["metrics"]["r2"] is None
    assert "R²" not in good("train a.csv --target y").out
