"""`unscaled data`: what is told of data sets, and fetching them."""

import io
import sys
from pathlib import Path

import pytest

from tiny_datasets import Server, archive_of, make_tiny, nothing_here, put, server
from unscaled.cli.data import _Bar, data
from unscaled.datasets import DATASETS

from .conftest import complaint, good, program, run

__all__ = ["nothing_here", "server"]

each_set = pytest.mark.parametrize("name", DATASETS)


@pytest.fixture(autouse=True)
def cache(nothing_here: Path) -> Path:
    return nothing_here


@each_set
def test_list_tells_of_every_set(name: str) -> None:
    line = next(line for line in good("data list").out.splitlines() if line.startswith(f"{name} "))
    facts = DATASETS[name]
    assert line.split() == [name, facts.task, f"{facts.rows:,}", str(len(facts.features)), "no"]
    told = next(each for each in good("data list --json").json["datasets"] if each["name"] == name)
    assert told == {
        "name": name,
        "task": facts.task,
        "rows": facts.rows,
        "features": len(facts.features),
        "paths": [],
        "whole": None,
    }


def test_list_tells_what_is_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSCALED_DATA", str(folder))
    whole = put(folder, "bank/bank-full.csv.gz", b"")
    part = put(folder, "ct_slice/slice_localization_data.partial.csv", b"")
    shown = good("data list").out
    assert f" 7  {whole}\n" in shown
    assert f" 384  in part: {part}\n" in shown
    told = {each["name"]: (each["paths"], each["whole"]) for each in good("data list --json").json["datasets"]}
    assert told["bank"] == ([str(whole)], True)
    assert told["ct_slice"] == ([str(part)], False)


@each_set
def test_show_tells_all_that_is_known(name: str) -> None:
    facts = DATASETS[name]
    shown = good(f"data show {name}").out
    for fact in (facts.about, facts.page, facts.download, facts.licence, facts.citation, facts.doi, f"{facts.rows:,}"):
        assert fact in shown
    assert (facts.sha256 or "not known") in shown
    assert " to ".join(f"{scale:,}" for scale in facts.paper.scales) in shown
    assert shown.endswith("here        no\n")
    told = good(f"data show {name} --json").json
    assert told["measured"] is None
    assert told["columns"] == list(facts.columns)
    assert told["paper"]["scales"] == list(facts.paper.scales)


@each_set
def test_show_measures_what_is_here(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSCALED_DATA", str(folder))
    facts, content = make_tiny(name, monkeypatch)
    path = put(folder, f"{name}/{facts.file}", content)
    shown = good(f"data show {name}").out
    assert f"here        {path}\n  rows      9\n  scales    " in shown
    told = good(f"data show {name} --json").json
    assert (told["paths"], told["whole"], told["measured"]["rows"]) == ([str(path)], True, 9)
    if facts.task == "classes":
        assert sorted(told["measured"]["classes"].values()) == [4, 5]
        assert " 55.56%, " in shown
    else:
        low, high = told["measured"]["target"]
        assert f"\n  target    {low:g} to {high:g}\n" in shown


def test_show_of_a_bad_file_says_what_is_wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSCALED_DATA", str(folder))
    path = put(folder, "bank/bank-full.csv", b"age;y\n1;no\n")
    assert complaint("data show bank", 1).startswith(f"{path}: the header lacks 'job', ")


def test_a_folder_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSCALED_DATA", "nowhere")
    said = complaint("data list", 1)
    assert said == "UNSCALED_DATA is nowhere, which is not a folder; set it to the one that holds the data sets"


@pytest.mark.parametrize("command", ["show", "fetch"])
def test_an_unknown_name_tells_the_nearest(command: str) -> None:
    assert complaint(f"data {command} covertpye", 2) == "unknown data set 'covertpye'; did you mean 'covertype'?"


@pytest.mark.parametrize("names", ["", "bank --all"])
def test_fetch_takes_names_or_all(names: str) -> None:
    assert complaint(f"data fetch {names}", 2) == "data fetch: give names of data sets, or --all and no names"


def test_an_unknown_name_fetches_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tiny("bank", monkeypatch, download=server.address)
    complaint("data fetch bank bnk", 2)
    assert server.asked == 0


def test_fetch(server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, content = make_tiny("shuttle", monkeypatch, download=server.address)
    server.content = archive_of(facts, content)
    result = good("data fetch shuttle")
    assert (result.out, result.err) == (f"shuttle is in {cache}/shuttle/shuttle.trn.Z\n", "")
    assert good("data fetch shuttle").out == result.out
    assert server.asked == 1
    assert f"  {cache}/shuttle/shuttle.trn.Z\n" in good("data list").out


@pytest.mark.parametrize("told", [True, False], ids=["of known length", "of unknown length"])
def test_a_terminal_shows_a_bar(told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with _Bar("shuttle") as bar:
        bar.total = 3_000_000 if told else 0
        bar.update(1_500_000)
        bar._bar.refresh()
        bar.reset()
        bar.close()
    assert "shuttle" in terminal.getvalue()
    assert f"1.5/{'3.0' if told else '?'} MB" in terminal.getvalue()


def test_fetch_all(server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DATASETS:
        facts, content = make_tiny(name, monkeypatch)
        put(cache, f"{name}/{facts.members[-1]}", content)
    shown = good("data fetch --all").out
    assert [line.split()[0] for line in shown.splitlines()] == list(DATASETS)


def test_no_network_is_one_sentence(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.status = 503
    make_tiny("bank", monkeypatch, download=server.address)
    said = complaint("data fetch bank", 1)
    assert said.startswith(f"{server.address} cannot be fetched (the server says 503 Service Unavailable); try again, ")


def test_no_pooch_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert complaint("data fetch bank", 2) == "fetching needs pooch: pip install 'unscaled[datasets]'"


def test_every_command_and_option_has_a_help() -> None:
    for name, command in data.commands.items():
        shown = good(f"data {name} --help").out
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.help, parameter.name  # type: ignore[attr-defined]
                assert parameter.opts[0] in shown
    assert run("data --help").out.count("unscaled data ") == 4


def test_help_imports_nothing_large() -> None:
    """Not even that of `data`, whose names are read before a command runs."""
    for line in ("--help", "data --help", "data fetch --help"):
        script = f"import sys; sys.argv = 'unscaled {line}'.split()\nfrom unscaled.cli import main\n"
        script += "try: main()\nexcept SystemExit: print({'numba', 'pyarrow', 'numpy', 'pooch'} & set(sys.modules))"
        result = program("", command=[sys.executable, "-c", script])
        assert result.out.endswith("set()\n"), result
