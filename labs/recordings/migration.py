"""Recordings of before, read as what they are called now. No number is changed.

Version 1 did not say of which kind a recording is: a field that only that kind has tells it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

TAGS = {  # by a field of each
    "experiment": "sweep",
    "parts": "comparison",
    "steps": "timeline",
    "connections": "generators",
    "classic": "classics",
    "server": "clocks",
    "calibrations": "checkup",
    "waiters": "memory",
    "racers": "race",
    "variants": "mystery",
}


def migrated(fields: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
    """The fields of a recording, with its kind. KeyError for what is no recording."""
    if "kind" in fields:
        return dict(fields)
    tag = TAGS[next((name for name in TAGS if name in fields), "")]
    return {"kind": msgspec.Raw(msgspec.json.encode(tag)), **fields}
