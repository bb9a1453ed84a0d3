"""The tools whose output the book reads: whether they are here, how new, how to get them."""

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from labs.host import programs
from labs.host.programs import APACHE, NGINX, Program, lacking


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A program that apt-get installs, or pip."""

    program: Program
    pip: bool = False
    beside: tuple[Program, ...] = ()  # what else the command takes

    @property
    def missing(self) -> str | None:
        """What to do to have it; None where it is here."""
        if self.pip and lacking(self._here):
            pip = shlex.join(["python", "-m", "pip", "install", self.program.package])
            return f"Install it with: {pip}"
        return lacking(self._here, *self.beside)

    @property
    def named(self) -> str:
        """With its version, as the file says it."""
        return programs.named(self._here)

    @property
    def _here(self) -> Program:
        """Where pip puts programs, too."""
        file = Path(sys.executable).with_name(self.program.names[0])
        here = self.pip and file.exists()
        return replace(self.program, names=(str(file),)) if here else self.program


def tool(name: str, package: str, asking: str, *, pip: bool = False) -> Tool:
    """One that is called as its file is, and says its version when asked so."""
    program = Program(name=name, names=(name,), package=package, version=(asking,))
    return Tool(program=program, pip=pip)


CURL = tool("curl", "curl", "--version")
TOP = tool("top", "procps", "-V")
VMSTAT = tool("vmstat", "procps", "-V")
PS = tool("ps", "procps", "-V")
GREP = tool("grep", "grep", "-V")
SS = tool("ss", "iproute2", "-V")
PIDSTAT = tool("pidstat", "sysstat", "-V")
DSTAT = tool("dstat", "dstat", "--version")
STRACE = tool("strace", "strace", "-V")
PY_SPY = tool("py-spy", "py-spy", "--version", pip=True)
GUNICORN = tool("gunicorn", "gunicorn", "--version", pip=True)
APACHE_STATUS = Tool(program=APACHE, beside=(CURL.program,))
NGINX_LOG = Tool(program=NGINX)
