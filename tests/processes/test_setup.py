"""From a fresh clone to an environment and a book, and the sentence when that cannot be."""

import ast
import contextlib
import importlib
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from surroundings import program, read_only
from waiting import eventually

ROOT = Path(__file__).parents[2]
BASE = sys._base_executable  # type: ignore[attr-defined]  # not the environment's own
NEEDED = ("sh", "make", "rm", "find", "uname")

# A build backend of fifteen lines, so that installing needs no network and takes a moment.
BACKEND = """
import zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name, info = "labs-1.0-py3-none-any.whl", "labs-1.0.dist-info/"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: labs\\nVersion: 1.0\\n")
        tags = "Root-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: none\\n" + tags)
        wheel.writestr(info + "RECORD", "")
    return name
build_wheel = build_editable
"""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "labs"
version = "1.0"
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A project as small as can be with the real Makefile and the real setup."""
    clone = tmp_path / "ein schöner Klon"  # with a space and an umlaut
    shutil.copytree(ROOT / "setup", clone / "setup", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Makefile", clone)
    (clone / "backend.py").write_text(BACKEND)
    (clone / "pyproject.toml").write_text(PROJECT)
    for name in ("requirements.txt", "requirements-dev.txt"):
        (clone / name).touch()
    return clone


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder for PATH that has no Python in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found, f"{name} is needed to test with"
        (folder / name).symlink_to(found)
    return folder


def python_that(folder: Path, first: str) -> Path:
    """A Python that does something else first: a machine unlike this one."""
    return program(
        folder / "python-stub",
        f"#!{sys.executable}\n"
        f"import os, runpy, sys\n{first}\n"
        "sys.argv.pop(0)\n"
        "sys.path[0] = os.path.dirname(sys.argv[0])\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n",
    )


def outside_make() -> dict[str, str]:
    """The environment without what `make test` tells the makes below it."""
    mine = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "PYTHON", "TESTS")
    return {name: value for name, value in os.environ.items() if name not in mine}


def make(
    clone: Path, *arguments: str, path: Path | None = None, before: Sequence[str] = (), **more: str
) -> tuple[int, list[str]]:
    """Exit code and lines of what `make` said, its own remarks left out. An empty variable is
    none."""
    environment = {**outside_make(), "PIP_NO_INDEX": "1", **more}
    environment = {name: value for name, value in environment.items() if value}
    environment["PATH"] = str(path) if path else os.environ["PATH"]
    result = subprocess.run(
        [*before, str(shutil.which("make")), *arguments],
        cwd=clone,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
    )
    said = (result.stdout + result.stderr).splitlines()
    return result.returncode, [line for line in said if not line.startswith("make: ***")]


# -- before anything is installed ----------------------------------------------------------


OLD = "sys.version_info = (3, 9, 18, 'final', 0)"
NEW = "sys.version_info = (3, 19, 0, 'final', 0)"
NO_VENV = """import importlib.util as util; find = util.find_spec
util.find_spec = lambda name, *more: None if name == 'ensurepip' else find(name, *more)"""
FULL = "import shutil; shutil.disk_usage = lambda path: shutil._ntuple_diskusage(9, 9, 4e8)"
OLDEST = "3.12" if sys.platform == "darwin" else "3.11"


@pytest.mark.parametrize(
    ("first", "begins"),
    [
        (None, "There is no python3 here: install Python 3.11 or newer"),
        (OLD, f"Wall Time needs Python {OLDEST} or newer and this is 3.9: install a newer one"),
        (NO_VENV, "This Python has no module ensurepip: install it"),
        (FULL, "Only 0.4 GB are free on the disk of {clone} and the installation needs 1.5 GB"),
    ],
    ids=["no Python", "an old one", "no venv", "a full disk"],
)
def test_what_is_missing_before_the_installation_is_one_sentence(
    first: str | None, begins: str, clone: Path, bare: Path
) -> None:
    python = [f"PYTHON={python_that(bare, first)}"] if first else []
    code, (sentence,) = make(clone, "read", *python, path=bare)
    assert code != 0
    assert sentence.startswith(begins.format(clone=clone))
    assert not (clone / ".venv").exists()


def test_an_old_python_hands_over_to_a_newer_one_on_the_path(clone: Path, bare: Path) -> None:
    old = python_that(bare, OLD)
    program(bare / "python3.13", '#!/bin/sh\n[ "$1" = -c ] || echo "handed $*"\n')
    # A version manager's stub for what is not installed.
    program(bare / "python3.14", "#!/bin/sh\necho not installed; exit 127\n")
    program(bare / "python3.19", "#!/bin/sh\necho not tested\n")
    code, said = make(clone, "venv", f"PYTHON={old}", path=bare)
    assert (code, said) == (0, ["handed setup/environment.py"])


def test_a_python_that_nobody_has_tested_is_told_and_tried(clone: Path, bare: Path) -> None:
    new = python_that(bare, f"{NEW}\n{FULL}")
    warning, refusal = make(clone, "venv", f"PYTHON={new}", path=bare)[1]
    told = f"Wall Time is tested with Python {OLDEST} to 3.14 and this is 3.19: "
    assert warning.startswith(told)
    assert refusal.startswith("Only 0.4 GB are free")


def test_the_version_is_checked_in_words_that_an_old_python_understands() -> None:
    text = (ROOT / "setup" / "environment.py").read_text()
    tree = ast.parse(text, feature_version=(3, 4))
    assert not [node for node in ast.walk(tree) if isinstance(node, (ast.JoinedStr, ast.AnnAssign))]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert not [each.name for each in functions if each.returns]  # Python 2 has no annotations


def test_an_environment_that_cannot_be_made(clone: Path) -> None:
    (clone / ".venv").write_text("in the way")
    code, (said,) = make(clone, "venv", f"PYTHON={BASE}")
    assert code != 0
    assert said.startswith(f"{BASE} could not make an environment in {clone / '.venv'} (")
    assert said.endswith("or choose another Python with PYTHON=.")


# -- installing ----------------------------------------------------------------------------


def installed(clone: Path) -> str:
    """What pip says that is in its environment."""
    listed = [clone / ".venv/bin/python", "-m", "pip", "list", "--format=freeze"]
    return subprocess.check_output(listed, text=True)


@pytest.mark.extended
@pytest.mark.timeout(240)
def test_an_installation_that_failed_is_redone_and_one_that_worked_is_kept(clone: Path) -> None:
    pins, environment = clone / "requirements.txt", clone / ".venv"

    def start() -> tuple[int, list[str]]:
        return make(clone, "venv", f"PYTHON={BASE}")

    pins.write_text("no-such-thing==1.0\n")
    code, (installing, sentence) = start()
    assert code != 0
    assert installing.startswith("Installing 1 packages into .venv")
    assert "(No matching distribution found for no-such-thing==1.0)" in sentence
    (environment / "half").write_text("made")  # as by one that was interrupted

    pins.write_text("")
    assert start()[0] == 0
    assert not (environment / "half").exists()
    assert installed(clone).startswith("labs==1.0")

    (environment / "kept").write_text("from the first installation")
    assert start() == (0, [])
    pins.write_text("# changed\n")
    assert len(start()[1]) == 1  # installed again, in place
    assert start() == (0, [])
    assert (environment / "kept").exists()

    (environment / "bin/python").unlink()  # as when the Python below was removed
    (environment / "bin/python").symlink_to("/nowhere/python")
    assert start()[0] == 0
    assert start() == (0, [])
    assert not (environment / "kept").exists()


@pytest.mark.extended
@pytest.mark.timeout(240)
def test_packages_come_by_uv_unless_pip_knows_an_index_of_its_own(clone: Path) -> None:
    pins, environment, calls = clone / "requirements.txt", clone / ".venv", clone / "calls"
    assert make(clone, "venv", f"PYTHON={BASE}")[0] == 0
    wanted = re.search(r"^uv==(\S+)", (ROOT / "setup/requirements-uv.txt").read_text(), re.M)
    assert wanted
    (packages,) = environment.glob("lib/python*/site-packages")
    for name, text in {  # a stand-in, so that nothing has to be fetched
        "uv/__main__.py": f"import sys; print(*sys.argv[1:], file=open({str(calls)!r}, 'a'))\n"
        "sys.exit('fail' in open('requirements.txt').read())\n",
        f"uv-{wanted[1]}.dist-info/METADATA": "Metadata-Version: 2.1\nName: uv\n"
        f"Version: {wanted[1]}\n",
    }.items():
        (packages / name).parent.mkdir()
        (packages / name).write_text(text)

    def start(text: str, **more: str) -> int:
        calls.write_text("")
        pins.write_text(text)
        assert make(clone, "venv", f"PYTHON={BASE}", PIP_NO_INDEX="", **more)[0] == 0
        return len(calls.read_text().splitlines())

    assert start("# by uv\n") == 1
    assert calls.read_text().startswith("pip install ")
    assert start("# by uv, which may fail\n") == 1  # and pip is asked then
    assert start("# by pip\n", PIP_INDEX_URL="http://127.0.0.1:9") == 0
    assert start("# by pip, beyond a proxy\n", PIP_PROXY="http://127.0.0.1:9") == 0


@pytest.mark.extended
@pytest.mark.timeout(240)
def test_it_installs_without_git_in_a_home_that_cannot_be_written(
    clone: Path, bare: Path, tmp_path: Path
) -> None:
    """By Debian's plain shell, where that is to be had."""
    home = tmp_path / "home"
    home.mkdir()
    sh = shutil.which("dash") or shutil.which("sh")
    before = read_only(home)
    variables = {"HOME": str(home), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
    code, said = make(
        clone, "venv", f"PYTHON={BASE}", f"SHELL={sh}", path=bare, before=before, **variables
    )
    assert (code, len(said)) == (0, 1), said
    assert installed(clone).startswith("labs==1.0")


PLATFORMS = {  # and the oldest minor version of Python 3 that is promised there
    "x86_64-unknown-linux-gnu": 11,
    "aarch64-unknown-linux-gnu": 11,
    "aarch64-apple-darwin": 12,
    "x86_64-apple-darwin": 12,
}
NEWEST = 14


def test_what_is_promised_is_what_is_tested() -> None:
    """Setup, workflow and the list above name the same Pythons."""
    text = (ROOT / "setup/environment.py").read_text()
    assert 'OLDEST = (3, 12) if sys.platform == "darwin" else (3, 11)' in text
    assert f"\nNEWEST = (3, {NEWEST})" in text
    jobs = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text())["jobs"]
    for job, platform in (("linux", "x86_64-unknown-linux-gnu"), ("macos", "aarch64-apple-darwin")):
        minors = range(PLATFORMS[platform], NEWEST + 1)
        found = jobs[job]["strategy"]["matrix"]["python"]
        assert found == [f"3.{minor}" for minor in minors]


@pytest.mark.extended
@pytest.mark.parametrize(
    ("platform", "minor"),
    [(name, minor) for name, oldest in PLATFORMS.items() for minor in range(oldest, NEWEST + 1)],
)
def test_every_pin_has_a_wheel(platform: str, minor: int) -> None:
    """Readers need no compiler. As an index says it; most of these machines are not here."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", ROOT / "setup/requirements-uv.txt"])
    resolved = subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--system-certs"),
            *("--no-deps", "--only-binary", ":all:", "--output-file", os.devnull),
            *("--python-platform", platform, "--python-version", f"3.{minor}"),
            "requirements-dev.txt",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert resolved.returncode == 0, resolved.stderr


# -- the book ------------------------------------------------------------------------------


@pytest.fixture
def builder(clone: Path) -> Path:
    """A clone whose build writes down that it was called; `fail` makes it fail."""
    for name in ("book/recordings", "book/web/src", "labs/site/build", "workloads", "bin"):
        (clone / name).mkdir(parents=True)
    (clone / "book/index.md").write_text("# A page\n")
    (clone / "labs/__init__.py").touch()
    (clone / "labs/laws.py").write_text("X = 1\n")
    (clone / "_config.yml").write_text("title: none\n")
    (clone / "_toc.yml").write_text("root: index\n")
    (clone / "bin/python").symlink_to(sys.executable)
    (clone / "labs/site/build/book.py").write_text(
        "import os, pathlib, sys\n"
        "arguments = sys.argv\n"
        "out = pathlib.Path(arguments[arguments.index('--path-output') + 1]) / '_build'\n"
        "site = out / 'html'\n"
        "site.mkdir()\n"
        "(site / 'index.html').write_text(pathlib.Path('book/index.md').read_text())\n"
        "with open('calls', 'a') as calls:\n"
        "    print(os.environ['LABS_MODE'], *arguments[1:], file=calls)\n"
        "if os.path.exists('fail'):\n"
        "    warning = '\\x1b[91mindex.md:3: WARNING: a link to nowhere\\x1b[39;49;00m'\n"
        "    sys.exit('reading\\n' + warning + '\\ndone')\n",
    )
    return clone


def build(clone: Path) -> tuple[int, str]:
    result = subprocess.run(
        [clone / "bin/python", "setup/book.py"], cwd=clone, capture_output=True, text=True
    )
    return result.returncode, result.stderr


def calls(clone: Path) -> list[str]:
    return (clone / "calls").read_text().splitlines()


def test_the_book_is_built_in_full_from_recordings(builder: Path) -> None:
    assert build(builder) == (0, "")
    assert calls(builder) == [
        f"replay build {builder}/book --config {builder}/_config.yml "
        f"--toc {builder}/_toc.yml --path-output {builder}/_build/work -W --keep-going"
    ]
    assert (builder / "_build/html/index.html").read_text() == "# A page\n"


def test_the_book_is_built_again_when_what_it_is_made_of_has_changed(builder: Path) -> None:
    for change, again in (
        ("book/index.md", True),
        ("book/another.md", True),
        ("book/recordings/one-core/2-cores.json", True),
        ("labs/laws.py", True),
        ("workloads/app/units.py", True),
        ("_config.yml", True),
        ("_toc.yml", True),
        ("requirements.txt", True),
        ("book/web/live.js", True),
        ("book/web/src/live.ts", False),
        ("book/.ipynb_checkpoints/index.md", False),
        ("labs/__pycache__/laws.pyc", False),
        ("README.md", False),
    ):
        assert build(builder)[0] == 0
        assert build(builder)[0] == 0
        before = len(calls(builder))
        (builder / change).parent.mkdir(parents=True, exist_ok=True)
        with (builder / change).open("a") as file:
            file.write("changed\n")
        assert build(builder)[0] == 0
        assert (len(calls(builder)) > before) is again, change
    (builder / "book/another.md").unlink()
    before = len(calls(builder))
    assert build(builder)[0] == 0
    assert len(calls(builder)) == before + 1


@pytest.mark.parametrize("what", ["html", "book.json"])
def test_a_site_that_is_not_whole_is_built_again(builder: Path, what: str) -> None:
    """As when its exchange was cut short."""
    assert build(builder)[0] == 0
    (builder / "_build" / what).rename(builder / "taken")
    assert build(builder)[0] == 0
    assert len(calls(builder)) == 2


def test_who_builds_meanwhile_waits(builder: Path) -> None:
    """And finds the book built."""
    command = [builder / "bin/python", "setup/book.py"]
    both = [subprocess.Popen(command, cwd=builder, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [each.wait(60) for each in both] == [0, 0]
    assert len(calls(builder)) == 1


def test_a_build_that_fails_keeps_the_former_site_and_says_why(builder: Path) -> None:
    fail, page, site = (builder / name for name in ("fail", "book/index.md", "_build/html"))
    fail.touch()
    assert build(builder) == (
        1,
        "index.md:3: WARNING: a link to nowhere\n"
        "The book could not be built, for the reasons above: put them right and try again "
        "(_build/book.log has everything).\n",
    )
    assert not site.exists()

    fail.unlink()
    assert build(builder)[0] == 0
    page.write_text("# Another\n")
    fail.touch()
    for _ in range(2):  # what was found wrong is wrong the next time too
        code, said = build(builder)
        assert code == 1 and "; the former site stays as it was" in said
        assert (site / "index.html").read_text() == "# A page\n"

    fail.unlink()
    assert build(builder)[0] == 0
    assert (site / "index.html").read_text() == "# Another\n"


# -- servers ---------------------------------------------------------------------------------


@pytest.fixture
def getting(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """setup/system.py, as a module."""
    monkeypatch.syspath_prepend(ROOT / "setup")
    yield importlib.import_module("system")
    for name in ("system", "browser"):
        sys.modules.pop(name, None)


def test_binder_installs_what_the_tests_need(getting: ModuleType) -> None:
    packages = sorted(program.package for program in getting.programs())
    assert (ROOT / "binder/apt.txt").read_text().split() == packages


def test_the_other_browser_is_for_the_further_tests_only(
    getting: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: None)
    monkeypatch.setattr(sys, "argv", ["system.py"])
    assert "nginx" in getting.missing() and "firefox-esr" not in getting.missing()
    monkeypatch.setattr(sys, "argv", ["system.py", "--further"])
    assert "firefox-esr" in getting.missing()


def test_what_is_missing_is_told_with_the_command(
    getting: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(getting, "as_root", lambda: None)
    for missing, told in (
        (["apache2", "nginx"], "To have them all: apt-get install apache2 nginx\n"),
        ([], ""),
    ):
        monkeypatch.setattr(getting, "missing", lambda found=missing: found)
        assert getting.main() == 0
        out, err = capsys.readouterr()
        assert out == "" and err.endswith(told) and bool(err) == bool(told)


def test_browser_tells_of_a_library_that_playwright_lacks(
    getting: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A bare Debian has no libatomic, and Playwright's node ended in a traceback."""
    node = program(tmp_path / "node", "#!/bin/sh\necho libatomic.so.1: cannot open >&2; exit 127\n")
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    monkeypatch.setattr(getting, "as_root", lambda: None)
    assert importlib.import_module("browser").main() == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.endswith("lacks (on Debian `apt install libatomic1`).\n")


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ("exit 0", ""),
        ("echo E: no network; exit 100", "E: no network"),
        ("kill -TERM $PPID", "exit code 1"),
    ],
)
def test_packages_are_installed_without_starting_them_and_the_policy_goes(
    outcome: str, told: str, getting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, log = tmp_path / "policy-rc.d", tmp_path / "log"
    program(
        tmp_path / "apt-get",
        f"#!/bin/sh\n{policy}; echo $? $* >> {log}\n"
        f'case "$*" in *update) exit 0;; *) {outcome};; esac\n',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert getting.install(["apache2", "nginx"], [], policy) == told
    updated, installed = log.read_text().splitlines()
    assert updated.startswith("101 ") and installed.startswith("101 ")  # forbidden
    assert installed.endswith("install --yes --no-install-recommends apache2 nginx")
    assert not policy.exists()

    program(policy, own := "#!/bin/sh\nexit 104\n")  # somebody's own
    getting.install(["wrk"], [], policy)
    assert policy.read_text() == own


# -- make ----------------------------------------------------------------------------------


def test_help_names_every_target(clone: Path) -> None:
    code, said = make(clone)
    assert code == 0
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert phony
    told = {line.split()[1] for line in said if line.startswith("make ")}
    assert told == set(phony[1].replace("\\", "").split()) - {"help", "venv", "venv-dev"}


# -- reading -------------------------------------------------------------------------------


@pytest.fixture
def terminal(book: Path) -> Iterator[tuple[int, int]]:
    """`make -o book read` in a terminal of its own: what is typed there goes to all of it."""
    environment = {**outside_make(), "NO_BROWSER": "1"}
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execvpe("make", ["make", "-o", "book", "read", f"VENV={Path(sys.prefix)}"], environment)
    yield pid, screen
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.close(screen)


@pytest.mark.extended
@pytest.mark.live
def test_ctrl_c_ends_the_reading_without_a_word(terminal: tuple[int, int]) -> None:
    pid, screen = terminal
    shown = bytearray()

    def ended() -> bool:
        try:
            shown.extend(more := os.read(screen, 4096))
        except OSError:  # the other end is closed
            return True
        return not more

    eventually(lambda: ended() or b"/book/?token=" in shown, within_s=30, what="the address")
    os.write(screen, b"\x03")
    before = len(shown)
    eventually(ended, within_s=10)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 130, -signal.SIGINT)
    after = shown[before:].decode()
    assert "Traceback" not in after and "***" not in after
