"""Bank: whether clients that were called bought a deposit, UCI's data set 222."""

from unscaled.datasets.facts import Facts, Paper

BANK = Facts(
    name="bank",
    about="Clients of a Portuguese bank and the calls they got: did they take a term deposit?",
    task="classes",
    rows=45_211,
    columns=(
        *("age", "job", "marital", "education", "default", "balance", "housing", "loan", "contact"),
        *("day", "month", "duration", "campaign", "pdays", "previous", "poutcome", "y"),
    ),
    features=("age", "balance", "day", "duration", "campaign", "pdays", "previous"),
    target="y",
    paper=Paper(rows=45_212, features=7, scales=(31, 102_127)),  # counts the header as a row
    page="https://archive.ics.uci.edu/dataset/222/bank+marketing",
    download="https://archive.ics.uci.edu/static/public/222/bank+marketing.zip",
    members=("bank.zip", "bank-full.csv"),
    citation="Moro, S., Rita, P., Cortez, P. (2014). Bank Marketing. UCI Machine Learning Repository.",
    doi="10.24432/C5K306",
    file="bank-full.csv",
    separator=";",
    header=True,
    sha256="d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
)
