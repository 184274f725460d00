"""Covertype: what grows on a patch of forest, UCI's data set 31."""

from unscaled.datasets.facts import Facts, Paper

_FEATURES = (
    *("Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology"),
    *("Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm"),
    "Horizontal_Distance_To_Fire_Points",
    *(f"Wilderness_Area{number}" for number in range(1, 5)),
    *(f"Soil_Type{number}" for number in range(1, 41)),
)

COVERTYPE = Facts(
    name="covertype",
    about="Patches of forest in Colorado, 30 m by 30 m: which of seven kinds of trees cover them?",
    task="classes",
    rows=581_012,
    columns=(*_FEATURES, "Cover_Type"),
    features=_FEATURES,
    target="Cover_Type",
    paper=Paper(rows=581_012, features=54, scales=(1, 7_173)),
    page="https://archive.ics.uci.edu/dataset/31/covertype",
    download="https://archive.ics.uci.edu/static/public/31/covertype.zip",
    members=("covtype.data.gz",),
    citation="Blackard, J. (1998). Covertype. UCI Machine Learning Repository.",
    doi="10.24432/C50K5N",
    file="covtype.data",
    aliases=("covtype.csv",),  # with a header, which UCI's file lacks
    sha256="0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
)
