"""The naps lab drawn and told."""

from labs.kinds.naps.record import Naps

from labs.kinds.show import Column, Show
from labs.present.blocks import Said
from labs.present.plot import Figure
from labs.records.format import duration


def figure(naps: Naps) -> Figure:
    """A bar for each nap."""
    bar = {
        "type": "bar",
        "name": "slept",
        "x": [nap.name for nap in naps.run.naps],
        "y": [nap.slept_s for nap in naps.run.naps],
    }
    return {"data": [bar], "layout": {}}


show = Show(
    middle_by="the longest nap",
    result=Naps,
    draw=figure,
    alt=lambda naps: f"The longest nap took {duration(naps.run.naps[-1].slept_s)}.",
    verdict=lambda naps: [Said(["Sleeps end late."])],
    rows=lambda naps: naps.run.naps,
    row=Naps.nap,
    columns=(
        Column(head="nap", of="name"),
        Column(head="asked ms", of="asked_s"),
        Column(head="slept ms", of="slept_s", quote="slept"),
    ),
)
