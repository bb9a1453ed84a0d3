"""The recorded figures of the book, and which of them `make figures` has to draw."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs.present.blocks import figures
from labs.present.html import Recorded
from labs.recordings import pictures, replay, store
from labs.recordings.pictures import WIDTHS
from labs.recordings.recorder import cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A recorded figure and where its pictures belong."""

    lab: str
    number: int  # of the figures that the lab's page shows, from 1
    mark: str
    figure: dict[str, Any]  # plotly's

    def path(self, width: str) -> Path:
        """Path of the figure's picture in one of the WIDTHS."""
        return pictures.path(self.lab, self.number, width)

    @property
    def stale(self) -> bool:
        """Whether there is no picture of the figure as it is now."""
        return any(pictures.mark(pictures.read(self.path(width))) != self.mark for width in WIDTHS)


def drawings(labs: Sequence[str] = ()) -> list[Drawing]:
    """Every figure of these labs, or of all labs of the book. BadRecording for one without a
    recording."""
    shown = {name: cell.lab for cell in cells() for name in cell.recordings}
    return [each for lab in dict.fromkeys(labs or shown) for each in _drawings(lab, shown.get(lab))]


def _drawings(lab: str, of: str | None) -> Iterator[Drawing]:
    """List a lab's figures; of its course alone where it may stand in for another lab, `of`."""
    result = store.recording(lab)
    blocks = replay.blocks(result) if of in (lab, None) else replay.course(result)
    for number, drawn in enumerate(figures(blocks), 1):
        shown = Recorded(*drawn)
        yield Drawing(lab=lab, number=number, mark=shown.mark, figure=shown.figure)
