"""What cannot be measured is refused in a sentence: the value, the rule, the remedy. Pure."""

from __future__ import annotations

import errno
import math
from collections.abc import Sequence

LONGEST_SAID = 40  # letters of what somebody wrote, in a sentence


class Unusable(ValueError):
    """Somebody asked for what cannot be measured. Says the value, the rule and the remedy.

    `name`, `value` and `rule` (with its remedy) are there too where one value was refused, for
    whoever has other words for it than a cell: a panel names its control. value: None where the
    rule says it, or there is none."""

    def __init__(self, said: str, *, name: str = "", value: object = None, rule: str = "") -> None:
        super().__init__(said)
        self.name, self.value, self.rule = name, value, rule


def refused(name: str, value: object, rule: str, *, said: str = "") -> Unusable:
    """Refuse a value. rule: what is wrong with it, and what helps; said: the value as a cell
    has it, where that is not its repr."""
    return Unusable(f"{name}={said or repr(value)}: {rule}", name=name, value=value, rule=rule)


USED_UP = {  # of the system's: what there is no more of, and what helps
    errno.ENOSPC: ("the disk is full", "Make room on it"),
    errno.EDQUOT: ("your part of the disk is full", "Make room on it"),
    errno.EMFILE: (
        "this process has as many files and connections open as it may",
        "Restart it, or raise the limit (`ulimit -n`)",
    ),
    errno.ENFILE: ("the machine has as many files open as it can", "End other programs"),
    errno.EADDRNOTAVAIL: (
        "no port is free for another connection",
        "Wait a minute, until closed connections give theirs back",
    ),
    errno.EAGAIN: ("no further process or thread can be started", "End other programs"),
    errno.ENOMEM: ("the memory is full", "End other programs"),
}


NO_THREAD = "can't start new thread"  # which is all that Python says of it


NO_PLACE = "No usable temporary directory"  # as `tempfile` says where no file can be written


def used_up(error: Exception) -> str:
    """Say what the system has no more of, with what helps; "" for another error."""
    number, said = None, str(error)
    if isinstance(error, OSError):
        number, said = error.errno, str(error.strerror)
        if said.startswith(NO_PLACE):
            number = errno.ENOSPC
    elif said == NO_THREAD:
        number = errno.EAGAIN
    if number not in USED_UP:
        return ""
    what, remedy = USED_UP[number]
    return f"{said}: {what}. {remedy}, then run again. What was measured stays."


def whole(name: str, value: object, least: int, most: int, remedy: str) -> None:
    """Raise Unusable unless the value is a whole number from least to most."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise refused(name, value, f"must be a whole number. {remedy}")
    if not least <= value <= most:
        raise refused(name, value, f"must be between {least} and {most}. {remedy}")


def real(name: str, value: object, least: float, most: float, remedy: str) -> None:
    """Raise Unusable unless the value is an ordinary number from least to most."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise refused(name, value, f"must be an ordinary number. {remedy}")
    if not least <= value <= most:
        rule = f"must be between {least:g} and {most:g}. {remedy}"
        raise refused(name, value, rule, said=f"{value:g}")


def choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise Unusable unless the value is one of the choices."""
    if value not in choices:
        raise refused(name, value, f"choose one of {', '.join(choices)}.")


def flag(name: str, value: object) -> None:
    """Raise Unusable unless the value is True or False."""
    if not isinstance(value, bool):
        raise refused(name, value, "must be True or False. Leave it out for the usual.")


def instance(name: str, value: object, of: type | tuple[type, ...], remedy: str) -> None:
    """Raise Unusable unless the value is one of that kind."""
    if not isinstance(value, of):
        said = repr(value)
        short = said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID]}…"
        raise Unusable(f"{name}={short}: cannot be used here. {remedy}")


class Failed(RuntimeError):
    """Failure of what was started for a measurement. Says its last lines."""


class ServerFailed(Failed):
    """A server that did not start. Says its last words."""


class BadRecording(ValueError):
    """A recording that cannot be used. Says the file, what is wrong and what to do."""
