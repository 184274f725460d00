"""Shuttle: the state of the space shuttle's radiators, UCI's data set 148 (Statlog)."""

from unscaled.datasets.facts import Facts, Paper

# The file has no header, and what was measured is not known, but for the first, the time.
_FEATURES = tuple(f"V{number}" for number in range(1, 10))

SHUTTLE = Facts(
    name="shuttle",
    about=(
        "Readings from the space shuttle: 1 Rad Flow, 2 Fpv Close, 3 Fpv Open, 4 High, 5 Bypass, 6 Bpv Close or "
        "7 Bpv Open?"
    ),
    task="classes",
    rows=43_500,
    columns=(*_FEATURES, "Class"),
    features=_FEATURES,
    target="Class",
    paper=Paper(rows=43_500, features=9, scales=(105, 13_839)),
    page="https://archive.ics.uci.edu/dataset/148/statlog+shuttle",
    download="https://archive.ics.uci.edu/static/public/148/statlog+shuttle.zip",
    members=("shuttle.trn.Z",),
    citation="Statlog (Shuttle). UCI Machine Learning Repository.",
    doi="10.24432/C5WS31",
    file="shuttle.trn",
    separator=" ",
    sha256="87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a",
)
