"""What cannot be measured is refused in a sentence: the value, the rule, the remedy. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

LONGEST_SAID = 40  # letters of what somebody wrote, in a sentence


class Unusable(ValueError):
    """Somebody asked for what cannot be measured. Says the value, the rule and the remedy."""


def whole(name: str, value: object, least: int, most: int, remedy: str) -> None:
    """Unusable unless the value is a whole number from least to most."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unusable(f"{name}={value!r}: must be a whole number. {remedy}")
    if not least <= value <= most:
        raise Unusable(f"{name}={value}: must be between {least} and {most}. {remedy}")


def real(name: str, value: object, least: float, most: float, remedy: str) -> None:
    """Unusable unless the value is an ordinary number from least to most."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Unusable(f"{name}={value!r}: must be an ordinary number. {remedy}")
    if not least <= value <= most:
        raise Unusable(f"{name}={value:g}: must be between {least:g} and {most:g}. {remedy}")


def choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Unusable unless the value is one of the choices."""
    if value not in choices:
        raise Unusable(f"{name}={value!r}: choose one of {', '.join(choices)}.")


def flag(name: str, value: object) -> None:
    """Unusable unless the value is True or False."""
    if not isinstance(value, bool):
        raise Unusable(f"{name}={value!r}: must be True or False. Leave it out for the usual.")


def instance(name: str, value: object, of: type | tuple[type, ...], remedy: str) -> None:
    """Unusable unless the value is one of that kind."""
    if not isinstance(value, of):
        said = repr(value)
        short = said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID]}…"
        raise Unusable(f"{name}={short}: cannot be used here. {remedy}")


class BadRecording(ValueError):
    """A recording that cannot be used. Says the file, what is wrong and what to do."""
