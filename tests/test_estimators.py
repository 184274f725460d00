"""The scikit-learn estimators: their contract, and what they add to it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import unscaled
from unscaled import DataError, Learner, OnlineClassifier, OnlineRegressor, UsageError
from unscaled.options import option_fields

ESTIMATORS = [OnlineRegressor, OnlineClassifier]


@parametrize_with_checks([estimator() for estimator in ESTIMATORS])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_are_the_options(estimator):
    own = {"passes", "shuffle", "random_state"}
    made = estimator()
    expected = set(option_fields()) - {"classes"}
    assert set(made.get_params()) == expected | own
    defaults = Learner(**{name: value for name, value in made.get_params().items() if name not in own}).options
    assert defaults == Learner(loss=made.loss).options


def mixed_table(rows=400, seed=0):
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "metres": random.normal(5e6, 1e6, rows),
            "job": random.choice(["cook", "smith", None], rows),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, rows), "D"),
            "ratio": np.where(random.random(rows) < 0.2, np.nan, random.normal(size=rows) * 1e-9),
        }
    )
    label = (table.job == "cook") * 2.0 + table.metres * 1e-7 + table.ratio.fillna(0) * 1e9
    return table, label


def test_mixed_columns_need_no_preparation():
    table, label = mixed_table(2000)
    assert OnlineRegressor(random_state=0).fit(table, label).score(table, label) > 0.95
    classifier = OnlineClassifier(random_state=0).fit(table, np.where(label > label.median(), "high", "low"))
    assert classifier.score(table, np.where(label > label.median(), "high", "low")) > 0.9
    assert list(classifier.classes_) == ["high", "low"]
    assert list(classifier.feature_names_in_) == list(table.columns)
    assert classifier.n_features_in_ == 4


def test_columns_are_matched_by_name():
    table, label = mixed_table()
    model = OnlineRegressor(random_state=0).fit(table, label)
    expected = model.predict(table)
    assert (model.predict(table[table.columns[::-1]]) == expected).all()
    assert (model.predict(pl.from_pandas(table)) == expected).all()
    with pytest.raises(DataError, match="no column 'job'"):
        model.predict(table.drop(columns="job"))
    with pytest.warns(UserWarning, match="ignoring columns that the model does not know: 'more'"):
        model.predict(table.assign(more=1))


def test_arrays_after_names_warn():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 1.0, 2.0]})
    model = OnlineRegressor(random_state=0).fit(table, [1.0, 2.0, 3.0])
    with pytest.warns(UserWarning, match="valid feature names"):
        from_array = model.predict(table.to_numpy())
    assert (from_array == model.predict(table)).all()
    plain = OnlineRegressor(random_state=0).fit(table.to_numpy(), [1.0, 2.0, 3.0])
    with pytest.warns(UserWarning, match="fitted without feature names"):
        assert (plain.predict(table) == plain.predict(table.to_numpy())).all()


def test_missing_values_are_absent():
    X = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, 4.0]] * 20)
    y = np.nansum(X, axis=1)
    zeros = np.nan_to_num(X)
    with_nan = OnlineRegressor(random_state=0).fit(X, y)
    assert (with_nan.predict(X) == OnlineRegressor(random_state=0).fit(zeros, y).predict(zeros)).all()
    with pytest.raises(ValueError, match="infinity"):
        with_nan.predict(np.array([[np.inf, 1.0]]))


def test_partial_fit_is_learning():
    X, y = load_diabetes(return_X_y=True)
    model, learner = OnlineRegressor(), Learner()
    for part in np.array_split(np.arange(len(X)), 7):
        model.partial_fit(X[part], y[part])
        learner.learn(X[part], y[part])
    assert model.progressive_loss_ == learner.progressive_loss
    assert (model.predict(X) == learner.predict(X)).all()


def test_progressive_loss_is_that_of_the_first_pass():
    X, y = load_diabetes(return_X_y=True)
    once = OnlineRegressor(passes=1, random_state=3).fit(X, y)
    often = OnlineRegressor(passes=9, random_state=3).fit(X, y)
    assert once.progressive_loss_ == often.progressive_loss_
    assert often.score(X, y) > once.score(X, y)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array, pd.DataFrame])
def test_raw_breast_cancer(container):
    X, y = load_breast_cancer(return_X_y=True)
    model = OnlineClassifier(random_state=0)
    assert cross_val_score(model, container(X) if container is not pd.DataFrame else X, y, cv=3).mean() > 0.9


def test_three_classes_have_probabilities():
    X, y = load_iris(return_X_y=True)
    model = OnlineClassifier(random_state=0, learning_rate=1.0).fit(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (150, 3)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert (chances.argmax(axis=1) == model.predict(X)).all()
    assert model.score(X, y) > 0.9


def test_probabilities_are_calibrated_enough():
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 3)) * [1e-6, 1.0, 1e6]
    chance = 1 / (1 + np.exp(-(X / [1e-6, 1.0, 1e6]) @ [1.0, -2.0, 0.5]))
    y = random.random(20_000) < chance
    errors = []
    for seed in range(5):  # the last rows of a single order move the probabilities by some per cent
        said = OnlineClassifier(random_state=seed).fit(X[:15_000], y[:15_000]).predict_proba(X[15_000:])[:, 1]
        bins = np.floor(said * 10)
        gaps = [abs((y[15_000:] - said)[bins == each].sum()) for each in range(10)]
        errors.append(sum(gaps) / len(said))
    assert np.mean(errors) < 0.025
    assert max(errors) < 0.05


def test_the_order_of_the_rows_does_not_matter():
    X, y = load_diabetes(return_X_y=True)
    X[::7, 3] = 0.0
    order = np.random.default_rng(0).permutation(len(y))
    expected = OnlineRegressor(random_state=0).fit(X, y).predict(X)
    assert (OnlineRegressor(random_state=0).fit(X[order], y[order]).predict(X) == expected).all()
    as_sparse = OnlineRegressor(random_state=0).fit(sparse.csr_matrix(X)[order], y[order])
    np.testing.assert_allclose(as_sparse.predict(X), expected, rtol=1e-10)
    as_given = OnlineRegressor(random_state=0, shuffle=False, passes=1).fit(X, y)
    assert (as_given.predict(X) == OnlineRegressor().partial_fit(X, y).predict(X)).all()


def test_the_order_of_the_rows_of_a_table_does_not_matter():
    table, label = mixed_table()
    table["tags"] = [["a", "b"], ["b"]] * 200
    order = np.random.default_rng(0).permutation(len(label))
    expected = OnlineRegressor(random_state=0).fit(table, label)
    again = OnlineRegressor(random_state=0).fit(table.iloc[order], label.iloc[order])
    assert (again.predict(table) == expected.predict(table)).all()


def test_a_weight_of_three_is_three_rows():
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = OnlineClassifier(random_state=0).fit(X, y, weights)
    repeated = OnlineClassifier(random_state=0).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert (weighted.decision_function(X) == repeated.decision_function(X)).all()
    assert weighted.progressive_loss_ == repeated.progressive_loss_


def test_huge_weights_cost_no_more_than_twenty_passes():
    X, y = load_iris(return_X_y=True)
    model = OnlineClassifier(random_state=0, passes=1).fit(X, y, np.where(y == 2, 1e9, 1.0))
    assert model.learner_.examples <= 21 * len(y)
    assert (model.predict(X[y == 2]) == 2).all()


def test_hinge_has_no_probabilities():
    X, y = load_iris(return_X_y=True)
    model = OnlineClassifier(loss="hinge", random_state=0).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert model.decision_function(X).shape == (150, 3)


def test_new_classes_in_the_stream():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    order = np.random.default_rng(0).permutation(150)
    model = OnlineClassifier(learning_rate=1.0)
    first = order[y[order] != 2]
    model.partial_fit(X[first], names[first])
    assert sorted(model.classes_) == ["setosa", "versicolor"]
    assert model.decision_function(X).ndim == 1
    for _ in range(5):
        model.partial_fit(X[order], names[order])
    assert sorted(model.classes_) == ["setosa", "versicolor", "virginica"]
    assert model.score(X, names) > 0.8


def test_expected_classes_are_known_from_the_start():
    X, y = load_iris(return_X_y=True)
    model = OnlineClassifier().partial_fit(X[:50], y[:50], classes=[0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (150, 3)


def test_several_targets_are_lanes():
    X, y = load_diabetes(return_X_y=True)
    targets = np.stack([y, -3.0 * y, X[:, 0]], axis=1)
    model = OnlineRegressor(random_state=0).fit(X, targets)
    alone = OnlineRegressor(random_state=0).fit(X, y)
    assert model.predict(X).shape == targets.shape
    assert np.allclose(model.predict(X)[:, 0], alone.predict(X), rtol=1e-9)


def test_multi_label():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 4)) * [1e-3, 1.0, 1e3, 1e6]
    y = (X / [1e-3, 1.0, 1e3, 1e6] @ random.normal(size=(4, 3)) > 0).astype(int)
    model = OnlineClassifier(random_state=0).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.93
    assert model.predict_proba(X).shape == (3000, 3)


def test_poisson_predicts_rates():
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 2))
    y = random.poisson(np.exp(0.5 + X @ [0.3, -0.4]))
    model = OnlineRegressor(loss="poisson", random_state=0).fit(X, y)
    assert model.predict(X).min() > 0
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=0.1)


def test_in_pipeline_and_grid_search():
    X, y = load_diabetes(return_X_y=True)
    y = StandardScaler().fit_transform(y[:, None])[:, 0]  # the paper's rules are free of the features' units only
    search = GridSearchCV(
        make_pipeline(StandardScaler(), OnlineRegressor(random_state=0)),
        {"onlineregressor__learning_rate": [0.1, 1.0], "onlineregressor__rule": ["nag", "snag"]},
        cv=3,
    )
    assert search.fit(X, y).best_score_ > 0.3
    framed = make_pipeline(MinMaxScaler().set_output(transform="pandas"), OnlineRegressor(random_state=0))
    framed.fit(X, y)
    assert list(framed[-1].feature_names_in_) == [f"x{j}" for j in range(10)]
    assert TransformedTargetRegressor(OnlineRegressor(random_state=0)).fit(X, y).predict(X).shape == y.shape


def test_weights_are_routed():
    X, y = load_diabetes(return_X_y=True)
    weights = np.linspace(0.1, 2.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            OnlineRegressor(random_state=0).set_fit_request(sample_weight=True).set_score_request(sample_weight=True),
            {"learning_rate": [0.5]},
            cv=2,
        ).fit(X, y, sample_weight=weights)
    direct = OnlineRegressor(learning_rate=0.5, random_state=0).fit(X, y, sample_weight=weights)
    assert (search.best_estimator_.predict(X) == direct.predict(X)).all()
    assert not (direct.predict(X) == OnlineRegressor(random_state=0).fit(X, y).predict(X)).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_pickled_and_cloned(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    model = estimator(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    again.partial_fit(X, y)
    assert not hasattr(clone(model), "learner_")


def test_what_makes_no_sense_is_refused():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(UsageError, match="unknown rule 'nga'; did you mean 'ng' or 'nag'"):
        OnlineRegressor(rule="nga").fit(X, y)
    with pytest.raises(UsageError, match="passes must be None or a whole number"):
        OnlineRegressor(passes=0).fit(X, y)
    with pytest.raises(UsageError, match="is for counts"):
        OnlineClassifier(loss="poisson").fit(X, y > 100)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        OnlineRegressor().fit(X, y[:-1])


def test_public_names():
    assert set(unscaled.__all__) <= set(dir(unscaled))
    for name in unscaled.__all__:
        assert getattr(unscaled, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        unscaled.nothing  # noqa: B018
