"""Census: whose income is above 50,000 dollars, UCI's data set 117 (Census-Income, KDD)."""

from unscaled.datasets.facts import Facts, Paper

# The file has no header. The names are those of census-income.names, in the order of the file.
_COLUMNS = (
    *("age", "class of worker", "industry code", "occupation code", "education", "wage per hour"),
    *("enrolled in edu inst last wk", "marital status", "major industry code", "major occupation code", "race"),
    *("hispanic origin", "sex", "member of a labor union", "reason for unemployment"),
    *("full or part time employment stat", "capital gains", "capital losses", "dividends from stocks"),
    *("tax filer status", "region of previous residence", "state of previous residence"),
    *("detailed household and family stat", "detailed household summary in household", "instance weight"),
    *("migration code-change in msa", "migration code-change in reg", "migration code-move within reg"),
    *("live in this house 1 year ago", "migration prev res in sunbelt", "num persons worked for employer"),
    *("family members under 18", "country of birth father", "country of birth mother", "country of birth self"),
    *("citizenship", "own business or self employed", "fill inc questionnaire for veteran's admin"),
    *("veterans benefits", "weeks worked in year", "year", "income"),
)

# The paper's thirteen are all columns of numbers, also codes and the weight of the sampling, which UCI would leave out.
_NUMERIC = (0, 2, 3, 5, 16, 17, 18, 24, 30, 36, 38, 39, 40)

CENSUS = Facts(
    name="census",
    about="People in US census surveys of 1994 and 1995: is their income above 50,000 dollars?",
    task="classes",
    rows=199_523,
    columns=_COLUMNS,
    features=tuple(_COLUMNS[place] for place in _NUMERIC),
    target="income",
    paper=Paper(rows=199_523, features=13, scales=(2, 99_999)),
    page="https://archive.ics.uci.edu/dataset/117/census+income+kdd",
    download="https://archive.ics.uci.edu/static/public/117/census+income+kdd.zip",
    members=("census.tar.gz", "census-income.data"),
    citation="Census-Income (KDD) (2000). UCI Machine Learning Repository.",
    doi="10.24432/C5N30T",
    file="census-income.data",
    sha256="3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86",
)
