"""A wheel of this project, built as `make wheel` does, from a copy without the clone's rest."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def source(folder: Path) -> Path:
    """A clone in that folder whose book is not built."""
    for name in ("labs", "workloads", "book"):
        ignored = shutil.ignore_patterns("__pycache__", "src", "node_modules")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def build(source: Path, into: Path) -> subprocess.CompletedProcess[str]:
    """Its wheel, without a network."""
    alone = ("--no-deps", "--no-index", "--no-build-isolation")
    return pip("wheel", *alone, "-w", into, source)


def install(python: Path, *what: str | Path) -> subprocess.CompletedProcess[str]:
    """Packages from the network into that Python's environment, by uv where it is to be had."""
    into = [sys.executable, "-m", "uv", "pip", "install", "--system-certs", "-q", "-p", python]
    done = subprocess.run([*into, *what], capture_output=True, text=True)
    return done if done.returncode == 0 else pip(f"--python={python}", "install", *what)


def pip(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """These tests' own pip."""
    quiet = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*quiet, *arguments], capture_output=True, text=True)
