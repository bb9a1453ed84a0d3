"""Get what tests and drawing need of the system and pip does not install: one table of all of it.

    .venv/bin/python setup/system.py [--further]

`--further` is for `make test-all`. On Debian and Ubuntu, as root (in CI through sudo), what is
missing is installed, and nothing of it is started: `policy-rc.d` forbids that meanwhile. Elsewhere
a sentence says what to install, and the tests of what is not there are skipped. Always exit code 0:
the tests have the last word. The browser is browser.py's, since there are several to choose from.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from labs.host.programs import POSTGRESQL, Program
from labs.load.tools import AB, WRK
from labs.servers.products import PRODUCTS

FIREFOX = Program(name="Firefox", names=("firefox-esr", "firefox"), package="firefox-esr")
NPM = Program(name="npm", names=("npm",), package="npm")
FURTHER = "--further"
INSTALL_S = 600.0  # of patience with a slow network
POLICY = Path("/usr/sbin/policy-rc.d")  # asked by Debian's packages before they start a service

# $1 is the policy's file, the rest are packages. What was there stays; ours goes however it ends.
SCRIPT = """
set -e
policy=$1
shift
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' HUP INT TERM
    printf '#!/bin/sh\\nexit 101\\n' > "$policy"
    chmod 755 "$policy"
fi
apt-get -qq -o Dpkg::Use-Pty=0 update
apt-get -qq -o Dpkg::Use-Pty=0 install --yes --no-install-recommends "$@"
"""


@dataclass(frozen=True)
class Need:
    """A Debian package, and whether what it brings is here already."""

    package: str
    here: Callable[[], bool]

    @classmethod
    def of(cls, program: Program) -> Need:
        """Need a program, which is here where it has a path."""
        return cls(program.package, lambda: program.path() is not None)


DRIVER = Need("libatomic1", lambda: driver_starts())  # of Playwright, which drives the browser


def main() -> int:
    """Install what is missing, or say what it is."""
    packages = get(missing)
    if packages:
        say(
            "Tests of what is not here are skipped. To have them all: apt-get install "
            + " ".join(packages)
        )
    return 0


def get(missing: Callable[[], list[str]]) -> list[str]:
    """Install the packages that are missing, where that may be; return those that still are."""
    packages = missing()
    if packages and (root := as_root()) is not None:
        say(f"Installing {' '.join(packages)}.")
        if problem := install(packages, root):
            say(f"That failed: {problem}")
        packages = missing()
    return packages


def needs() -> Iterator[Need]:
    """List what tests need, the further ones included where those are asked for."""
    yield from (Need.of(program) for program in programs())
    yield DRIVER
    if FURTHER in sys.argv:
        yield from (Need.of(program) for program in (FIREFOX, NPM))
        yield Need("epubcheck", lambda: epubcheck() is not None)


def programs() -> list[Program]:
    """List all that the labs may start beside Python, each once."""
    served = (each for row in PRODUCTS.values() for each in (*row.for_files, *(row.for_work or ())))
    return list(dict.fromkeys((*served, POSTGRESQL, AB, WRK)))


def missing() -> list[str]:
    """List the packages of what is not here."""
    return [need.package for need in needs() if not need.here()]


def driver_starts() -> bool:
    """Whether Playwright's own node runs: a bare Debian lacks a library that it wants."""
    from playwright._impl._driver import compute_driver_executable
    from playwright.sync_api import Error

    try:
        node, _ = compute_driver_executable()
        return subprocess.run([node, "--version"], capture_output=True).returncode == 0
    except (OSError, Error):
        return False


def epubcheck() -> list[str] | None:
    """Find how epubcheck is called; None where it is not here. Debian's is a Java archive that
    calls itself a program, which not every kernel believes."""
    found = shutil.which("epubcheck")
    if found is None:
        return None
    with Path(found).open("rb") as file:
        archive = file.read(2) == b"PK"
    java = shutil.which("java")
    if not archive:
        return [found]
    return [java, "-jar", found] if java else None


def as_root() -> list[str] | None:
    """Find what to put before a command so that it may install; None where nothing does."""
    if not Path("/etc/debian_version").exists():
        return None
    if os.geteuid() == 0:
        return []
    return ["sudo", "--non-interactive"] if os.environ.get("CI") and shutil.which("sudo") else None


def install(packages: list[str], root: list[str], policy: Path = POLICY) -> str:
    """Install Debian packages and start nothing; return what went wrong, "" if nothing did."""
    command = [*root, "sh", "-c", SCRIPT, "sh", str(policy), *packages]
    try:
        code, lines = ran(command, INSTALL_S)
    except subprocess.TimeoutExpired:
        return f"not done within {INSTALL_S:g} s."
    errors = [line for line in lines if line.startswith("E:")]
    return (*errors, f"exit code {code}")[0] if code else ""


def ran(command: Sequence[str], seconds: float) -> tuple[int, list[str]]:
    """Run a command that asks nobody: exit code and lines. TimeoutExpired if it takes longer."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except BaseException:  # Ctrl-C too: gently, so that the policy goes
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            raise
    return process.returncode, said.splitlines()


def say(sentence: str) -> None:
    """Tell a sentence to whoever waits."""
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
