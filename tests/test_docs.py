"""The documentation runs: every Python example, every command, and every link to a file of the repository."""

import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")])
MODULES = sorted((ROOT / "src" / "unscaled").rglob("*.py"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def page_name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in page.read_text()], ids=page_name)
def test_python_examples_on_pages(page):
    assert doctest.testfile(str(page), module_relative=False, optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("module", [path for path in MODULES if ">>> " in path.read_text()], ids=page_name)
def test_python_examples_in_modules(module):
    name = ".".join(module.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    __import__(name)
    result = doctest.testmod(sys.modules[name], optionflags=FLAGS)
    assert result.attempted > 0
    assert result.failed == 0


def commands(page):
    """Each `$ command` of a page's console blocks with the output that should follow."""
    for block in re.findall(r"```console\n(.*?)```", page.read_text(), flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.mark.parametrize("page", [page for page in PAGES if "```console" in page.read_text()], ids=page_name)
def test_commands_on_pages(page, tmp_path):
    shutil.copy(ROOT / "examples" / "shuttle.csv.gz", tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for command, expected in commands(page):
        run = re.sub(r"(^|\| )unscaled ", rf"\1{sys.executable} -m unscaled ", command)
        done = subprocess.run(run, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if expected:
            assert doctest.OutputChecker().check_output(expected, done.stdout, FLAGS), done.stdout


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_module_says_what_it_is():
    for path in MODULES:
        assert path.read_text().startswith(('"""', 'r"""')), path


def test_readme_shows_the_records_as_they_are():
    readme = (ROOT / "README.md").read_text()
    shown = re.findall(r"<!-- (benchmarks/records/\S+) -->\n(.*?)<!-- end -->", readme, flags=re.DOTALL)
    assert shown
    for record, table in shown:
        assert table.strip() == (ROOT / record).read_text().strip(), f"paste {record} into README.md"
