"""Recordings of before, read as what they are called now. No number is changed.

The first files did not say of which kind a recording is: a field that only that kind has tells
it. A timeline's runs had other names for what they hold.
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


RENAMED = {  # of a timeline's run
    "stretches": "step_results",
    "moments": "time_bins",
    "happenings": "events",
}


def migrated(fields: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
    """The fields of a recording, with its kind and by their names of now. KeyError for what is no
    recording, DecodeError for what is cut short."""
    found: dict[str, Any] = dict(fields)
    if "kind" not in fields:
        tag = TAGS[next((name for name in TAGS if name in fields), "")]
        found = {"kind": msgspec.Raw(msgspec.json.encode(tag)), **fields}
    if bytes(found["kind"]) == b'"timeline"' and "runs" in found:
        runs = msgspec.json.decode(found["runs"], type=list[dict[str, msgspec.Raw]])
        found["runs"] = [
            {RENAMED.get(name, name): value for name, value in run.items()} for run in runs
        ]
    return found
