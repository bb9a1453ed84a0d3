"""Duration of measuring: one slider. What that costs stands beside Run."""

from collections.abc import Callable
from typing import Any

import ipywidgets

from labs.kinds.base import LabKind
from labs.records.errors import Unusable
from labs.records.format import digits

TIMES = (0.5, 1, 2, 4, 8, 16)  # as long as the lab does by itself


class Duration(ipywidgets.SelectionSlider):
    """Slider from half to sixteen times as long as the lab measures by itself, where it can; it
    begins with `begin_s`."""

    def __init__(
        self, lab: LabKind[Any], changed: Callable[[], None], begin_s: float | None = None
    ) -> None:
        usual_s = lab.each_s
        assert usual_s is not None
        lengths = [usual_s * times for times in TIMES if times == 1 or _can(lab, usual_s * times)]
        super().__init__(
            options=[(f"{digits(each)}\N{NO-BREAK SPACE}s a {lab.each}", each) for each in lengths],
            value=begin_s if begin_s in lengths else usual_s,
            description="Measure for",
            tooltip=f"At least so long for a {lab.each}, the longest: the longer, the surer",
            continuous_update=False,
        )
        self.add_class("wt-choice").add_class("wt-duration")
        self.observe(lambda _: changed(), "value")


def _can(lab: LabKind[Any], seconds: float) -> bool:
    try:
        lab.lasting(seconds)
    except Unusable:
        return False
    return True
