"""MSD: the year of a song from how it sounds, UCI's data set 203 (YearPredictionMSD)."""

from unscaled.datasets.facts import Facts, Paper

# The file has no header: twelve means of timbre, then the covariances of the twelve.
_FEATURES = (
    *(f"timbre_mean{number}" for number in range(1, 13)),
    *(f"timbre_covariance{number}" for number in range(1, 79)),
)

MSD = Facts(
    name="msd",
    about="Songs of the Million Song Dataset, by their timbre: in which year did they come out?",
    task="regression",
    rows=463_715,
    columns=("year", *_FEATURES),
    features=_FEATURES,
    target="year",
    paper=Paper(rows=463_715, features=90, scales=(60, 65_735)),
    page="https://archive.ics.uci.edu/dataset/203/yearpredictionmsd",
    download="https://archive.ics.uci.edu/static/public/203/yearpredictionmsd.zip",
    members=("YearPredictionMSD.txt",),
    citation="Bertin-Mahieux, T. (2011). YearPredictionMSD. UCI Machine Learning Repository.",
    doi="10.24432/C50K61",
    file="YearPredictionMSD.txt",
    part=("sm_train.mat", "sm_test.mat"),  # 7,000 of the training rows, drawn at random
    rows_after=51_630,  # UCI's test rows, by other artists
    sha256=None,  # no full copy was at hand to compute it from; the rows are counted instead
)
