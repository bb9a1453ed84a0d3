"""Install what is pinned into .venv: once, whole, and again when the pins change.

Only the standard library: this runs before anything is installed. A stamp inside the
environment says what was installed and by which Python; it is taken away before an
installation starts and written when it has ended, so one that was cut short is seen.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
STAMP = ENVIRONMENT / "wall-time.json"
PIP = (str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input")
LOG = ENVIRONMENT / "install.log"

UV = "setup/requirements-uv.txt"  # installs in seconds what takes pip a minute
OWN_INDEX = ("index-url", "extra-index-url", "no-index", "proxy")  # pip's settings; uv has others
NEEDED_BYTES = 1_500_000_000  # the environment takes 0.7 GB, its downloads half of that again


class CannotInstall(Exception):
    """Says in one sentence what is in the way and what to do."""


def main(arguments: list[str]) -> int:
    """Exit code 0 when .venv is ready, 1 after a sentence on standard error, 130 on Ctrl-C."""
    parser = argparse.ArgumentParser(prog="setup/environment.py", description=__doc__)
    parser.add_argument("--dev", action="store_true", help="with the tools for tests and lint")
    dev = parser.parse_args(arguments).dev
    try:
        with alone():
            if not is_ready(dev):
                install(dev)
    except CannotInstall as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as problem:
        print(
            f"The installation met {problem.filename or ENVIRONMENT} ({problem.strerror}): "
            "put that right, then try again.",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("Stopped; the next start begins the installation again.", file=sys.stderr)
        return 130
    return 0


def is_ready(dev: bool) -> bool:
    """Whether .venv holds what is pinned now."""
    try:
        done = json.loads(STAMP.read_text())
        wanted = _stamp(dev)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return False
    return {name: done.get(name) for name in wanted} == wanted


def install(dev: bool) -> None:
    """Make .venv where there is none or half of one, and install what is pinned."""
    if not STAMP.exists() or not os.access(PYTHON, os.X_OK):
        _check_modules()
        _check_disk()
        _make_environment()
    STAMP.unlink(missing_ok=True)
    pins = "requirements-dev.txt" if dev else "requirements.txt"
    packages = sum("==" in line for line in (ROOT / pins).read_text().splitlines())
    print(f"Installing {packages} packages into .venv; the first time may take a minute or two.")
    if not (_usual_index() and _uv(pins)):
        _pip("install", "--requirement", pins)
    _pip("install", "--no-deps", "--no-build-isolation", "--editable", ".")
    STAMP.write_text(json.dumps(_stamp(dev), indent=1) + "\n")


def _stamp(dev: bool) -> dict[str, str]:
    asked = (PYTHON, "-c", "import sys; print(sys.version)")
    python = subprocess.check_output(asked, text=True).strip()
    names = ["requirements.txt", "pyproject.toml", *(["requirements-dev.txt"] if dev else [])]
    hashes = {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in names}
    return {"python": python, "root": str(ROOT), **hashes}  # scripts in it name the root


def _check_modules() -> None:
    missing = [name for name in ("venv", "ensurepip") if not importlib.util.find_spec(name)]
    if missing:
        raise CannotInstall(
            f"This Python has no module {missing[0]}: install it (on Debian and Ubuntu "
            "`apt install python3-venv`), then try again."
        )


def _check_disk() -> None:
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise CannotInstall(
            f"Only {free / 1e9:.1f} GB are free on the disk of {ROOT} and the installation "
            f"needs {NEEDED_BYTES / 1e9:.1f} GB: make room, then try again."
        )


def _make_environment() -> None:
    base = getattr(sys, "_base_executable", sys.executable)  # not the one about to be cleared
    command = [base, "-m", "venv", "--clear", str(ENVIRONMENT)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        words = (result.stderr.strip() or result.stdout.strip() or "no reason given").splitlines()
        raise CannotInstall(
            f"{base} could not make an environment in {ENVIRONMENT} ({words[-1].strip()}): see "
            "that the folder can be written, or choose another Python with PYTHON=."
        )


def _usual_index() -> bool:
    """Whether packages come from where they come by default, as far as pip's settings go."""
    settings = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True)
    names = [line.partition("=")[0].rpartition(".")[2] for line in settings.stdout.splitlines()]
    return settings.returncode == 0 and not set(OWN_INDEX) & set(names)


def _uv(pins: str) -> bool:
    """Whether uv could be had, and then install what is pinned."""
    if not _run(*PIP, "install", "--only-binary", ":all:", "--require-hashes", "--requirement", UV):
        return False
    uv = (str(PYTHON), "-m", "uv", "pip", "install", "--python", str(PYTHON))
    return _run(*uv, "--system-certs", "--requirement", pins)


def _pip(*arguments: str) -> None:
    if not _run(*PIP, *arguments):
        errors = [line for line in LOG.read_text().splitlines() if line.startswith("ERROR: ")]
        reason = errors[-1].removeprefix("ERROR: ").rstrip(".") if errors else "no reason given"
        raise CannotInstall(
            f"pip could not install the packages ({reason}): see to the network or the disk and "
            f"try again; {LOG.relative_to(ROOT)} has all of pip's words."
        )


def _run(*command: str) -> bool:
    outside = {"PIP_USER": "0"}  # a user's habit, refused inside an environment
    with LOG.open("a") as log:
        return logged(command, log, outside)


def logged(command: Sequence[str], log: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether a command went well, with those variables besides; the log has what it said."""
    result = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env={**os.environ, **environ},
    )
    return result.returncode == 0


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Wait for another start: two at once would write over each other."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
