"""CT Slice: how high up in the body a picture was taken, UCI's data set 206."""

from unscaled.datasets.facts import Facts, Paper

_FEATURES = tuple(f"value{number}" for number in range(384))

CT_SLICE = Facts(
    name="ct_slice",
    about="Slices of CT scans as histograms: how far up the body's axis were they taken?",
    task="regression",
    rows=53_500,
    columns=("patientId", *_FEATURES, "reference"),
    features=_FEATURES,
    target="reference",
    # The paper does not say which 24 of the file's 384 columns it left out; its smallest scale excludes those of zeros.
    paper=Paper(rows=53_500, features=360, scales=(0.158, 1)),
    page="https://archive.ics.uci.edu/dataset/206/relative+location+of+ct+slices+on+axial+axis",
    download="https://archive.ics.uci.edu/static/public/206/relative+location+of+ct+slices+on+axial+axis.zip",
    members=("slice_localization_data.csv",),
    citation=(
        "Graf, F., Kriegel, H.-P., Schubert, M., Poelsterl, S., Cavallaro, A. (2011). Relative location of CT slices "
        "on axial axis. UCI Machine Learning Repository."
    ),
    doi="10.24432/C5CP6G",
    file="slice_localization_data.csv",
    part=("slice_localization_data.partial.csv",),
    header=True,
    sha256=None,  # no full copy was at hand to compute it from; the rows are counted instead
)
