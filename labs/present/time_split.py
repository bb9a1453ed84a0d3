"""Where the time went, drawn and told: a bar for each level, as long as its mean response time."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from labs.present.blocks import Drawn
from labs.present.palette import BLUE, FAINT, GREEN, GREY, ORANGE, PURPLE, THIN
from labs.present.plot import FROM_ZERO, NAMES, Shown, layout, part, plot_title
from labs.records.format import duration, listed, percent
from labs.records.time_split import TimeSplit

MS = 1000
ROW, AROUND = 30, 180  # pixels: of a bar, and above and below all of them
NARROW_AROUND = 250  # on a telephone the legend has more lines
TOO_SHORT = 0.002  # of the longest bar: nobody would see it
TOLD = 0.02  # of a mean: parts below it are left out of sentences


class Look(NamedTuple):
    """Name and looks of a part of the time."""

    name: str
    colour: str
    pattern: str


LOOKS: Mapping[str, Look] = {
    "on_core_s": Look("on a core", BLUE, ""),
    "ready_s": Look("ready, without a core", ORANGE, "/"),
    "asked_s": Look("waiting as asked", PURPLE, "."),
    "turn_s": Look("waiting for the {}", GREEN, "x"),
    "queued_s": Look("queued before service", GREY, "-"),
    "outside_s": Look("outside the server", THIN, ""),
    "unexplained_s": Look("unexplained", FAINT, "+"),
}

MORE = ("\\", "|", "-", ".")  # patterns of who else serves one request at a time

Splits = Sequence[tuple[str, TimeSplit]]  # of each bar: what it is called, and its parts


def split_figure(splits: Splits) -> Drawn | None:
    """Draw a bar for each level, with the same in words and what is to know; None for no level."""
    if not splits:
        return None
    rows = [label for label, _ in splits]
    longest_s = max(split.total_s for _, split in splits)
    traces = []
    for field, look in LOOKS.items():
        for at, pattern in zip(_owners(field, splits), (look.pattern, *MORE), strict=False):
            values_s = [
                _of(split, field) if field != "turn_s" or split.turn_at == at else 0.0
                for _, split in splits
            ]
            if max(values_s) < TOO_SHORT * longest_s:
                continue
            said = [
                f"{duration(value_s)}, {percent(value_s / split.total_s)} of it"
                for value_s, (_, split) in zip(values_s, splits, strict=True)
            ]
            shown: Shown = {"pattern": pattern, "said": said, "hover": "{y}: {said}"}
            values_ms = [round(value_s * MS, 4) for value_s in values_s]
            traces.append(part(look.name.format(at), rows, values_ms, look.colour, **shown))
    made = layout(
        ROW * len(rows) + AROUND,
        {"l": 8, "r": 12, "t": 36, "b": 132},
        -54 / (ROW * len(rows)),
        barmode="stack",
        bargap=0.3,
        xaxis={"title": {"text": "mean response time, ms"}, **FROM_ZERO},
        yaxis={"categoryorder": "array", "categoryarray": rows[::-1], **NAMES},
        annotations=[plot_title("Where the time went", 0, 1)],
        meta={"narrow": {"height": ROW * len(rows) + NARROW_AROUND, "margin": {"b": 202}}},
    )
    made["legend"]["traceorder"] = "normal"
    return Drawn({"data": traces, "layout": made}, _alt(splits), " ".join(notes(splits)))


def notes(splits: Splits) -> Iterable[str]:
    """Say what could not be measured, and where the parts are not the whole."""
    yield from dict.fromkeys(split.missing for _, split in splits if split.missing)
    for label, split in splits:
        if not split.explained and not split.missing:
            if split.excess_s > split.unexplained_s:
                more = percent(split.excess_s / split.total_s)
                yield f"{label}: what was measured is {more} more than there is room for."
            else:
                rest = percent(split.unexplained_s / split.total_s)
                yield f"{label}: nothing that was measured explains {rest} of the time."


def parts_in_words(split: TimeSplit) -> str:
    """Name the parts, the longest first: `20 ms on a core, 93 ms ready, without a core`."""
    fields = sorted(LOOKS, key=lambda field: -_of(split, field))
    told = [field for field in fields if _of(split, field) > TOLD * split.total_s]
    return listed(
        [f"{duration(_of(split, f))} {LOOKS[f].name.format(split.turn_at)}" for f in told]
    )


def _alt(splits: Splits) -> str:
    said = "; ".join(f"{label}: {parts_in_words(split)}" for label, split in splits)
    return f"Where the time went, a bar for each mean response time. {said}."


def _owners(field: str, splits: Splits) -> Sequence[str]:
    """List who serves one request at a time, each with bars of its own."""
    if field != "turn_s":
        return ("",)
    return tuple(dict.fromkeys(split.turn_at for _, split in splits if split.turn_at))


def _of(split: TimeSplit, field: str) -> float:
    return float(getattr(split, field))
