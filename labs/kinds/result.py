"""What a lab of any kind gives."""

from __future__ import annotations

from labs.kinds.checkup.record import Checkup
from labs.kinds.classics.record import Retrial
from labs.kinds.clocks.record import Clocks
from labs.kinds.comparison.record import Comparison
from labs.kinds.generators.record import Gauges
from labs.kinds.memory.record import Memory
from labs.kinds.mystery.record import Mystery
from labs.kinds.race.record import Race
from labs.kinds.sweep.record import Recording
from labs.kinds.timeline.record import Timeline

Result = (
    Recording
    | Clocks
    | Checkup
    | Comparison
    | Memory
    | Race
    | Gauges
    | Retrial
    | Timeline
    | Mystery
)
