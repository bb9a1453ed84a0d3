"""Record of a mystery: a server, one hidden limit, and two attempts to lift it. Frozen, SI
units."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from labs.kinds.comparison.record import most_users, rounds
from labs.kinds.sweep.record import Recording
from labs.records.errors import BadRecording, choice
from labs.records.format import quotient
from labs.records.processes import Seen
from labs.records.results import Result, Run

Variant = Literal["before", "wrong", "right"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
LIMIT_NAMES = ("cpu", "pool", "disk", "database", "lock", "event loop", "load generator")


class Mystery(Result, tag="mystery", frozen=True, kw_only=True):
    """A seed's server, measured as it is, and with the wrong and the right fix."""

    seed: int
    limit: str  # one of LIMIT_NAMES; `labs.kinds.mystery.scenarios` says of each what it is
    variants: dict[Variant, Recording]  # the fixes only once they were tried
    seen: tuple[Seen, ...] = ()  # while the server was as it is

    def __post_init__(self) -> None:
        if "before" not in self.variants:
            raise BadRecording("The recording holds no run of the server. Record it again.")
        choice("limit", self.limit, LIMIT_NAMES)

    @property
    def before(self) -> Recording:
        """The recording of the server as it is."""
        return self.variants["before"]

    @property
    def runs(self) -> tuple[dict[Variant, Run], ...]:
        """Whole rounds: one run of each variant."""
        return rounds(self.variants)

    @property
    def users(self) -> int | None:
        """The most users at which every variant was measured; None without such a level."""
        return most_users(self.variants.values())

    def throughput_rps(self, name: Variant) -> float:
        """Throughput of a variant, at `users`. KeyError if it was not tried."""
        if name not in self.variants:
            raise KeyError(f"{name!r}: not measured. There are {', '.join(self.variants)}.")
        if self.users is None:
            raise KeyError(f"{name}: no level that every variant has.")
        return self.variants[name].at(self.users).throughput_rps

    def ratio(self, name: Variant) -> float:
        """Divide the throughput with a fix by the one before, of the two as they are said: infinite
        where there was none before, and 1 where there is none after it either. KeyError if it was
        not tried."""
        return quotient(self.throughput_rps(name), self.throughput_rps("before"))

    def with_variant(self, name: Variant, recording: Recording) -> Mystery:
        """Add a fix that was tried, in the order of `VARIANTS`."""
        variants = {**self.variants, name: recording}
        return msgspec.structs.replace(
            self, variants={each: variants[each] for each in VARIANTS if each in variants}
        )
