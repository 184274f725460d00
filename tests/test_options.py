"""Every option: what it refuses, and that what is written can be read again."""

import inspect
from dataclasses import MISSING, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unscaled import Learner, UsageError
from unscaled.losses import LOSSES, Huber, Quantile, Squared
from unscaled.options import Options, named, option_fields, spelled
from unscaled.rules import NAG, NG, RULES, SGD

nan, inf = float("nan"), float("inf")

BAD = {
    "rule": ["adam", "", "nag(1)", "sgd(x)", "sgd(1,2,3)", "sgd(-1)", "sgd(0.5, 0)", "nag)", 5, None],
    "loss": [
        "hing",
        "",
        "squared(1)",
        "quantile(0)",
        "quantile(1)",
        "quantile(nan)",
        "quantile(a)",
        "quantile(0.1,2)",
        "huber(0)",
        "huber(-1)",
        5,
        None,
    ],
    "learning_rate": [0, -0.5, nan, inf, "fast", True, [], [0.1, -1], [0.1, "x"], "0.5"],
    "intercept": [],
    "importance_aware": [],
    "clip": ["label", 0, -1, nan, (1, 1), (2, 1), (1,), (1, 2, 3), ("a", "b"), (nan, 1), "ab"],
    "l1": [-1, nan, inf, "x", None, True],
    "l2": [-1e-9, nan, inf, "x", None, True],
    "interactions": [
        0,
        4,
        -1,
        2.0,
        True,
        "2",
        "ab",
        None,
        [],
        ["ab"],
        [("a",)],
        [("a", "b", "c")],
        [("a", "b")] * 63,
    ],
    "hash_bits": [0, 32, -1, 2.5, "8", True],
    "missing_indicator": [],
    "dtype": ["float16", "double", "", int, None],
    "classes": ["yes", "", [], ["a"], ["a", "a"], [1, 1.0]],
}
"""For each option, values that make no sense."""

RAISES_SOMETHING_ELSE = {
    "learning_rate": [np.array(0.5)],
    "intercept": ["no", 2, None],
    "importance_aware": ["no", 2, None],
    "clip": [object(), True],
    "interactions": [[5], [("a", "b"), 5]],
    "missing_indicator": ["no", 3, None],
    "classes": [5, [["a"], ["b"]]],
    "loss": [Quantile(5.0), Quantile(nan), Huber(-1.0), NAG(), ()],
    "rule": [SGD(-1.0), NG(0.5, 0.0), Squared(), ()],
}


def pairs(table):
    return [
        pytest.param(name, value, id=f"{name}={value!r:.40}".split(" at 0x")[0])
        for name in table
        for value in table[name]
    ]


# What a message may call an option besides its own name: the parameter that is wrong.
PARAMETERS = {parameter for maker in [*RULES.values(), *LOSSES.values()] for parameter in maker._fields}


def test_every_option_has_bad_values():
    assert set(BAD) == {field.name for field in fields(Options)}
    assert all(BAD[name] or name in RAISES_SOMETHING_ELSE for name in BAD)


@pytest.mark.parametrize(("name", "value"), pairs(BAD))
def test_bad_values_are_refused_by_name(name, value):
    with pytest.raises(UsageError) as caught:
        Learner(**{name: value})
    message = str(caught.value)
    assert name in message or any(parameter in message for parameter in PARAMETERS)


@pytest.mark.parametrize(("name", "value"), pairs(RAISES_SOMETHING_ELSE))
def test_more_bad_values_are_refused_by_name(name, value):
    with pytest.raises(UsageError) as caught:
        Learner(**{name: value})
    assert name in str(caught.value) or any(parameter in str(caught.value) for parameter in PARAMETERS)


GOOD = {
    "rule": ["nag", " sgd ( 0.5 , 2 ) ", NAG(), SGD(0.0)],
    "loss": ["squared", "quantile(0.9)", "huber(inf)", Quantile(0.1)],
    "learning_rate": [None, 1, 0.5, np.float32(0.5), [0.1, 1], np.array([0.1, 1.0]), (0.5,)],
    "intercept": [True, False],
    "importance_aware": [True, False],
    "clip": [None, "labels", 3, 0.5, (-1, 2), [0, 1], inf],
    "l1": [0, 1, 0.5],
    "l2": [0, 1, 0.5],
    "interactions": [1, 2, 3, [("a", "b")], (("a", "*"), ["b", "c"])],
    "hash_bits": [None, 1, 31],
    "missing_indicator": [True, False],
    "dtype": ["float64", "float32"],
    "classes": [None, "auto", ["a", "b"], (1, 2, 3), np.array([0, 1])],
}


@pytest.mark.parametrize(("name", "value"), pairs(GOOD))
def test_good_values_are_taken_and_described_as_json(name, value):
    import json

    options = Options(**{name: value})
    again = Options(**json.loads(json.dumps(options.described())))
    assert again == options
    assert hash(again) == hash(options)


def test_every_option_has_good_values():
    assert set(GOOD) == {field.name for field in fields(Options)}


def test_every_option_has_help_that_is_a_sentence():
    assert list(option_fields()) == [field.name for field in fields(Options)]
    for help in option_fields().values():
        assert help[0].isupper() or help[0].isdigit()
        assert help.endswith(".")


def test_the_signature_of_learner_is_the_list_of_options():
    parameters = list(inspect.signature(Learner).parameters.values())
    assert [each.name for each in parameters] == [field.name for field in fields(Options)]
    for parameter, field in zip(parameters, fields(Options), strict=True):
        assert field.default is not MISSING
        assert parameter.default == field.default
        assert type(parameter.default) is type(field.default)


def test_options_cannot_be_changed():
    with pytest.raises(AttributeError):
        Options().l1 = 3.0


@given(st.floats(0, 10), st.floats(0.001, 1e300))
def test_rules_are_spelled_as_they_are_named(power, t0):
    for rule in (SGD(power, t0), NG(power, t0)):
        assert named("rule", spelled(rule), RULES) == rule


@given(st.floats(0, 1, exclude_min=True, exclude_max=True), st.floats(0, exclude_min=True))
def test_losses_are_spelled_as_they_are_named(tau, delta):
    for loss in (Quantile(tau), Huber(delta)):
        assert named("loss", spelled(loss), LOSSES) == loss


@pytest.mark.parametrize(("kind", "known"), [("rule", RULES), ("loss", LOSSES)])
def test_every_name_is_spelled_as_it_is_named(kind, known):
    for name, maker in known.items():
        made = named(kind, name, known)
        assert type(made) is maker
        assert named(kind, spelled(made), known) == made
        assert spelled(made).split("(")[0] == name


def test_parameters_that_are_numpy_numbers_are_spelled_as_numbers():
    loss = Quantile(np.float64(0.9))
    assert named("loss", spelled(loss), LOSSES) == loss


@pytest.mark.parametrize(
    ("option", "given", "hint"),
    [
        ("rule", "nagg", "'nag'"),
        ("loss", "logistics", "'logistic'"),
        ("loss", "quantil(0.5)", "'quantile'"),
        ("dtype", "float46", "'float64'"),
    ],
)
def test_the_nearest_name_is_offered(option, given, hint):
    with pytest.raises(UsageError, match=rf"{option} .*did you mean .*{hint}.*\?"):
        Learner(**{option: given})


def test_all_names_are_offered_if_none_is_near():
    with pytest.raises(UsageError, match=", ".join(RULES)):
        Learner("zzzzzz")


def test_derived_properties():
    assert Options(learning_rate=[0.1, 0.2]).rates == (0.1, 0.2)
    assert Options(learning_rate=0.1).rates == (0.1,)
    assert Options(learning_rate=[0.1]).learning_rate == (0.1,)
    assert (Options(interactions=3).order, Options(interactions=3).pairs) == (3, ())
    crossed = Options(interactions=[["a", "b*"]])
    assert (crossed.order, crossed.pairs) == (2, (("a", "b*"),))
    assert Options(clip=2).clip == (-2.0, 2.0)
