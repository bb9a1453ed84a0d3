"""Programs of the system that a lab may use: whether they are here, how new, how to get them.

Names are those of Debian and Ubuntu. A program that is missing, broken or too old is told in a
sentence, and never stands in the way of a lab that does not need it.
"""

import functools
import glob
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MODULES = ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2")
MORE = "/usr/sbin:/usr/local/sbin"  # where a shell does not look that is not root's
# Where PostgreSQL's own programs are on Debian and on Fedora: a folder for each version.
POSTGRESQL_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
LOOK_S = 5.0  # for a program to say its version
PRINTS_S = 2.0  # for one of the system that only prints


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that Debian packages, and where it may be found."""

    name: str  # as people call it
    names: tuple[str, ...] = ()  # of its file, the likeliest first
    package: str  # what apt-get installs
    version: tuple[str, ...] = ("-v",)  # how to ask for its version
    code: int = 0  # with which it ends then
    least: tuple[int, ...] = ()  # the oldest that will do
    module: str = ""  # where it is none but a module of Apache: the pattern of its file
    folders: bool = False  # it may also be in one of PostgreSQL's folders

    def path(self) -> str | None:
        """Find the program's file; /usr/sbin counts even when the shell does not look there."""
        if self.module:
            return module(self.module)
        more = [MORE, *(postgresql_folders() if self.folders else ())]
        places = ":".join([os.environ.get("PATH", os.defpath), *more])
        found = (shutil.which(name, path=places) for name in self.names)
        return next((path for path in found if path), None)

    @property
    def command(self) -> str:
        """The path of the program, or its name where it is not here."""
        return self.path() or self.names[0]


APACHE = Program(name="Apache", names=("apache2", "httpd"), package="apache2", least=(2, 4))
MOD_PHP = Program(name="mod_php", module="libphp*.so", package="libapache2-mod-php")
NGINX = Program(name="nginx", names=("nginx",), package="nginx", least=(1, 14))
PHP = Program(name="PHP", names=("php",), package="php-cli", least=(7, 3))
PHP_FPM = Program(
    name="php-fpm",
    names=("php-fpm", *(f"php-fpm8.{minor}" for minor in range(9, -1, -1)), "php-fpm7.4"),
    package="php-fpm",
    least=(7, 3),
)
NODE = Program(
    name="node",
    names=("node", "nodejs"),
    package="nodejs",
    version=("--version",),
    least=(12,),
)
POSTGRESQL = Program(
    name="PostgreSQL",
    names=("postgres",),
    package="postgresql",
    version=("--version",),
    least=(11,),
    folders=True,
)
INITDB = Program(
    name="initdb",
    names=("initdb",),
    package="postgresql",
    version=("--version",),
    folders=True,
)
SETPRIV = Program(  # BusyBox's, which can't change the user, says no version
    name="setpriv",
    names=("setpriv",),
    package="util-linux",
    version=("--version",),
    least=(2, 33),  # has --pdeathsig
)


def version(program: Program) -> str | None:
    """Ask a program for its version; None where it is missing or does not run, and of a module."""
    path = program.path()
    asked = path and not program.module
    return _version(str(path), program.version, program.code) if asked else None


def named(program: Program) -> str:
    """Name a program with its version: PostgreSQL 15.4."""
    return f"{program.name} {version(program) or ''}".strip()


@functools.cache
def _version(path: str, asking: tuple[str, ...], code: int) -> str | None:
    if (said := printing([path, *asking], LOOK_S)) is None:
        return None
    found = re.search(r"(\d+\.\d+(?:\.\d+)?)", said.stdout + said.stderr)
    return found[1] if found and said.returncode == code else None


def printing(
    command: Sequence[str], within_s: float = PRINTS_S
) -> subprocess.CompletedProcess[str] | None:
    """Run a program that only prints, to its end; None where it cannot be run, or does not end."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=within_s)
    except (OSError, subprocess.TimeoutExpired):
        return None


def lacking(*programs: Program) -> str | None:
    """Tell what to do to have all these programs; None when they are there and new enough."""
    if absent := [program for program in programs if program.path() is None]:
        packages = " ".join(dict.fromkeys(program.package for program in absent))
        return f"Install it with: apt-get install {packages}"
    for program in programs:
        found = version(program)
        if found is None and not program.module:
            asking = " ".join([str(program.path()), *program.version])
            return f"{program.name} is installed but does not run. Try it by hand: {asking}"
        if found and numbers(found) < program.least:
            least = ".".join(map(str, program.least))
            return f"{program.name} {found} is too old: {least} or newer is needed."
    return None


def numbers(version: str) -> tuple[int, ...]:
    """Turn a version into numbers, to compare.

    >>> numbers("1.22.1") > (1, 19, 4)
    True
    """
    return tuple(map(int, version.split(".")))


def postgresql_folders() -> list[str]:
    """Folders of PostgreSQL's versions that are installed, the newest first."""
    found = [folder for pattern in POSTGRESQL_FOLDERS for folder in glob.glob(pattern)]
    return sorted(found, key=lambda name: [*map(int, re.findall(r"\d+", name))], reverse=True)


def module(pattern: str) -> str | None:
    """The newest of Apache's modules with that name; None where it is built in or missing."""
    for folder in MODULES:
        for file in sorted(Path(folder).glob(pattern), reverse=True):
            return str(file)
    return None
