"""What every file of the house keeps to: sizes, words, pins, licences. Who may know whom is in
pyproject.toml, and `make lint` holds it."""

import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]

LONGEST = 300  # lines of code in a module, without blanks, comments and docstrings


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_a_module_is_short_and_says_what_it_is() -> None:
    for path in modules("labs", "workloads", "setup"):
        assert ast.get_docstring(tree(path)), f"{path}: no docstring"
        lines = lines_of_code(path)
        assert lines <= LONGEST, f"{path}: {lines} lines of code. Two nouns? Make two modules."


def test_the_examples_in_the_docstrings_hold() -> None:
    for path in modules("labs", "workloads"):
        if ">>> " in path.read_text("utf-8"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            assert doctest.testmod(importlib.import_module(name)).failed == 0, path


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FRAGMENT = re.compile(r"(Of|That|Those|It|The same|How many|In the|As)\b")


def test_a_docstring_stands_alone() -> None:
    for path in modules("labs", "workloads", "setup", "bench"):
        for node in ast.walk(tree(path)):
            if isinstance(node, DOCUMENTED) and (said := ast.get_docstring(node)):
                alone = not FRAGMENT.match(said) and len(said.split()) >= 4
                assert alone, f"{path}:{node.body[0].lineno}: begin with a verb, or name the noun"


def lines_of_code(path: Path) -> int:
    prose: set[int] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node):
            prose.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(path.read_text("utf-8").splitlines(), 1)
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in prose
        for number, line in lines
    )


def test_habits() -> None:
    for path in modules("labs", "workloads", "setup", "tests", "bench"):
        assert path.stem not in {"utils", "helpers", "common"}, f"{path}: name it after its noun"
        in_tests = ROOT / "tests" in path.parents and path.stem != "waiting"
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert getattr(node, "level", 0) == 0, f"{path}: write imports in full"
                assert "unittest" not in ast.unparse(node), f"{path}: no mocks"
            if in_tests and isinstance(node, ast.Attribute) and node.attr == "sleep":
                slept = ast.unparse(node) == "time.sleep"
                assert not slept, f"{path}:{node.lineno}: use `eventually` of tests/waiting.py"


THINKING = "What only thinks touches no process, no file and no socket"  # a contract
RUNNING = {"run", "walk", "instruments", "ramp"}  # the modules of kinds that do


def thinking() -> Iterator[Path]:
    """The modules of that contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (contract,) = (each for each in contracts["contracts"] if each["name"] == THINKING)
    for each in contract["source_modules"]:
        place = each.replace(".", "/")
        found = [*ROOT.glob(f"{place}.py"), *ROOT.glob(f"{place}/**/*.py")]
        assert found, f"{each}: no such module"
        yield from found


def test_what_only_thinks_opens_no_file_either() -> None:
    """The linter sees imports alone. In the folder of a kind all think but what runs it."""
    sources = set(thinking())
    for path in (ROOT / "labs/kinds").glob("*/*.py"):
        runs = path.stem in RUNNING | {"__init__"}
        assert (path in sources) != runs, f"{path}: pyproject.toml lists what thinks, and only that"
    for path in sources:
        for node in ast.walk(tree(path)):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert called not in ("open", "io.open", "exec", "eval", "__import__"), path


# -- words that do not belong ----------------------------------------------------------------


def tracked() -> list[Path]:
    """Every text file in the repository."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_machine_or_a_registry() -> None:
    """The project installs from wherever its reader's tools are set to."""
    hosts = ["pypi" + ".org", "python" + "hosted.org", "registry." + "npmjs", "deb." + "debian.org"]
    paths = [r"(?<![\w.:/])/" + name + "/" for name in ("work", "root", "home/[a-z]+", "opt")]
    unwanted = re.compile("|".join([*map(re.escape, hosts), *paths]).encode())
    contents = {path: path.read_bytes() for path in tracked()}
    assert not [
        (path.name, found[0])
        for path, content in contents.items()
        if b"\0" not in content[:8000] and (found := unwanted.search(content))
    ]


# -- pins ------------------------------------------------------------------------------------


def pins(name: str) -> dict[str, str]:
    """Package -> exact version in a requirements file, each with the hashes of its files."""
    text = re.sub(r"\\\n +", "", (ROOT / name).read_text())
    asked = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    pin = (
        r"([a-z0-9-]+)(?:\[[a-z,]+\])?==([^\s;]+)(?: ; [^\\]*?)? (?:--hash=sha256:[0-9a-f]{64} ?)+"
    )
    found = [re.fullmatch(pin, line) for line in asked]
    assert all(found), f"{name}: not all are pins with hashes"
    return {match[1]: match[2] for match in found if match}


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_requirements_pin_everything_that_the_project_asks_for() -> None:
    asked = project()
    run, dev = pins("requirements.txt"), pins("requirements-dev.txt")
    extras = asked["optional-dependencies"]
    for requirement in [*asked["dependencies"], *extras["book"], *extras["dev"]]:
        name = re.match(r"[\w-]+", requirement)
        assert name and name[0] in dev, requirement
    assert pins("setup/requirements-uv.txt").keys() == {"uv"}
    hub = pins("deploy/requirements-hub.txt")
    assert all(hub[name] == dev[name] for name in hub.keys() & dev.keys())
    assert run.items() <= dev.items(), "tests would run other versions than readers do"
    pinned, held = (
        re.findall(r"^[a-z0-9-]+==[^\s;]+", (ROOT / name).read_text(), re.MULTILINE)
        for name in ("requirements-dev.txt", "constraints.txt")
    )
    assert pinned == held


WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split()))  # importing one of these fails
from labs.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("import tests/load_tests/ab-2.txt", 0),
        ("predict --server event-loop --cpu 0 --wait 0.1 --users 1", 0),
        ("attach http://127.0.0.1:1/", 3),
        ("import tests/load_tests/ab-2.txt -o a.html", 2),
    ],
)
def test_the_command_line_needs_no_package_of_the_book(command: str, code: int) -> None:
    book = project()["optional-dependencies"]["book"]
    names = [re.split(r"[^\w-]", each)[0].replace("-", "_") for each in book]
    asked = [sys.executable, "-c", WITHOUT, " ".join(names), *command.split()]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert ("'.[book]'" in done.stderr) == (code == 2)


def test_binder_reads_the_same_pins() -> None:
    asked = (ROOT / "binder/requirements.txt").read_text().splitlines()
    assert [line for line in asked if not line.startswith("#")] == ["-r ../requirements.txt"]
    runtime = (ROOT / "binder/runtime.txt").read_text().strip()
    assert runtime.removeprefix("python-") == project()["requires-python"].removeprefix(">=")
    for script in ("postBuild", "start"):
        assert (ROOT / "binder" / script).stat().st_mode & 0o111, f"binder/{script} cannot be run"
    said = subprocess.check_output(
        [ROOT / "binder/start", "sh", "-c", "echo $LABS_MODE $JUPYTER_CONFIG_PATH"],
        env={**os.environ, "REPO_DIR": str(ROOT), "JUPYTER_CONFIG_PATH": "/elsewhere"},
        text=True,
    )
    mode, _, path = said.strip().partition(" ")
    ours, others = path.split(":")
    assert (mode, others) == ("live", "/elsewhere")
    assert list(Path(ours, "jupyter_server_config.d").glob("*.json"))


# -- papers ----------------------------------------------------------------------------------


def test_the_licences_are_whole() -> None:
    code, text = (ROOT / "LICENSE").read_text(), (ROOT / "LICENSE-text").read_text()
    assert code.startswith("BSD 3-Clause License") and "Wall Time authors" in code
    assert text.startswith("Attribution 4.0 International")
    assert all(f"\nSection {number} -- " in text for number in range(1, 9))


def test_how_to_cite() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == project()["version"]
    assert cited["license"] == ["BSD-3-Clause", "CC-BY-4.0"]


PAPERS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
PAPERS += [str(file.relative_to(ROOT)) for file in sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", PAPERS)
def test_what_the_papers_name_is_there(name: str) -> None:
    text, makefile = (ROOT / name).read_text(), (ROOT / "Makefile").read_text()
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert link.startswith("https://") or (ROOT / name).parent.joinpath(link).exists(), link
    for path in re.findall(r"`((?:book|labs|workloads|setup|tests|bench)/[a-z0-9_./-]+)`", text):
        assert (ROOT / path).exists(), path
    for target in re.findall(r"(?:^ *|`)make ([a-z-]+)\b", text, re.MULTILINE):
        assert re.search(rf"^(?:\w+ )*{target}(?: \w+)*:", makefile, re.MULTILINE), target
    for module in re.findall(r"\btests/[\w/]+(?:\.py)?", text):
        assert (ROOT / module).exists(), module
    for module in re.findall(r"python -m (bench\.\w+)", text):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module


def test_contributing_maps_every_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for name in sorted({path.relative_to(ROOT).parts[0] for path in tracked()}):
        if (ROOT / name).is_dir() and not name.startswith("."):
            assert f"`{name}/`" in text, f"the map does not show {name}/"
    for room in sorted(path.name for path in (ROOT / "labs").iterdir() if path.is_dir()):
        assert room.startswith("__") or f"`labs/{room}/`" in text, f"the map does not show {room}/"


@pytest.mark.parametrize("name", [".github/workflows/book.yml", ".pre-commit-config.yaml"])
def test_what_others_run_is_what_we_run(name: str) -> None:
    text = (ROOT / name).read_text()
    assert yaml.safe_load(text)
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"\bmake ([a-z]+)", text):
        assert f"\n{target}:" in makefile
    for tool in re.findall(r"\.venv/bin/((?:ruff|mypy).*?)(?: --force-exclude)?\n", text):
        assert f"$(VENV)/bin/{tool}" in makefile
