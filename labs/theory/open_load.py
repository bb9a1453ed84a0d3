"""Arrivals at a server that does not hold them back: what is under way, answered and how fast, over
time, and how far chance spreads it. Pure; letters as in `laws`."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NORMAL = 1.2816  # standard deviations from the mean to where eight of ten runs end, on either side
TICK_S = 0.025
NEGLIGIBLE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCourse:
    """Course that arrivals take: at the edges of pieces of time, and in each piece between two."""

    under_way: Floats  # at each edge, on average
    under_way_band: Floats  # at each edge: low, high
    throughput_rps: Floats  # in each piece, on average
    throughput_band_rps: Floats  # low, high
    response_time_s: Floats  # mean of those answered in a piece; nan where nobody is


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """Station that requests queue for: equal places, behind one line or some that are alike."""

    rps: float  # that it can do
    places: float  # behind each line
    alone_s: float  # response time of a request that finds a place free
    lines: int = 1
    cv: float = 0.0  # of the time for which a request has its place
    sharing: float = 0.0  # requests beyond the places that share them; more stand in line

    def waiting(self, rate: float, seconds: Floats) -> Floats:
        """Requests beyond the places by chance, so long after arrivals began to come at that rate.

        In the long run Sakasegawa's approximation (1977) of the M/G/c queue: for one place
        Pollaczek and Khinchine's formula, for more some per cent off Erlang's. But for its factor
        for many places that is the mean of a reflected Brownian motion, and how this grows from
        nothing is known (Harrison 1985), at rates beyond what can be served, too. Requests that
        share places queue as exponential ones do, whatever their distribution. Where only some
        share, and the others stand in line, the mixture is a rule from simulations.
        """
        part = min(1.0, rate / self.rps)
        cv2 = 1 + (self.cv**2 - 1) * math.pow(part, self.sharing)
        drift = (rate - self.rps) / self.lines or NEGLIGIBLE
        spread = (rate + part * self.rps * cv2) / self.lines
        mean, sd = drift * seconds, np.sqrt(spread * seconds)
        highest = _excess(mean, sd) + spread / (2 * drift) * _lean(mean, sd)
        return self.lines * math.pow(part, math.sqrt(2 * (self.places + 1)) - 1) * highest


def reckon(
    rates: Sequence[float], stations: Sequence[Station], edges: Sequence[float]
) -> OpenCourse:
    """Reckon the course of Poisson arrivals, from nobody at the first edge on.

    rates[i] a second come to stations[i] from edges[i] to the next. Who comes beyond what can be
    served stands in line, and is answered `alone_s` after leaving it; by chance the line is as
    unsure as the number of those who came since it began, whose variance is their number. Where
    more wait at a station that keeps up, those are the line. Response times are distances between
    what came and what was answered (cumulative curves; in the long run Little's law).
    """
    ticks = np.maximum(1, np.round(np.diff(edges) / TICK_S)).astype(int)
    at = np.append(0, np.cumsum(ticks))  # where the edges are
    times = np.interp(np.arange(at[-1] + 1), at, edges)

    def summed(rps: Sequence[float]) -> Floats:
        return np.append(0.0, np.cumsum(np.repeat(rps, ticks) * np.diff(times)))

    came = summed(rates)
    mean, variance = _since_it_began(came, summed([each.rps for each in stations]))
    line, place = _excess(mean, np.sqrt(variance)), 0
    for (rate, station), pieces in itertools.groupby(zip(rates, stations, strict=True)):
        first, place = place, place + len(list(pieces))
        there = slice(at[first], at[place] + 1)
        waiting = station.waiting(rate, times[there] - edges[first])
        line[there] = np.maximum(line[there], waiting)
    begun = np.maximum.accumulate(came - line)
    alone = np.repeat([each.alone_s for each in stations], ticks)
    answered = np.interp(times, times + np.append(alone[:1], alone), begun)
    under_way, gone = (came - answered)[at], answered[at]
    spread = np.minimum(variance, line**2) + begun - answered
    lengths = np.diff(edges)
    throughput = np.diff(gone) / lengths
    middles = (gone[1:] + gone[:-1]) / 2
    took = np.interp(middles, answered, times) - np.interp(middles, came, times)
    return OpenCourse(
        under_way=under_way,
        under_way_band=_band(under_way, NORMAL * np.sqrt(spread[at])),
        throughput_rps=throughput,
        throughput_band_rps=_band(throughput, NORMAL * np.sqrt(throughput / lengths)),
        response_time_s=np.where(throughput > NEGLIGIBLE, took, np.nan),
    )


def _since_it_began(came: Floats, could: Floats) -> tuple[Floats, Floats]:
    """Count who came beyond what could be served, and all who came, since the last line began."""
    ahead = came - could
    line = ahead - np.minimum.accumulate(ahead)
    begins = np.append((line[:-1] == 0) & (line[1:] > 0), False)
    began = np.maximum.accumulate(np.where(begins, np.arange(len(line)), 0))
    return ahead - ahead[began], came - came[began]


def _band(mean: Floats, half: Floats) -> Floats:
    return np.stack([np.maximum(0.0, mean - half), mean + half]).T


def _lean(mean: Floats, sd: Floats) -> Floats:
    """Tell how much likelier than not a normal number with that standard deviation is positive."""
    found: Floats = np.vectorize(math.erf)(mean / np.maximum(sd, NEGLIGIBLE) / math.sqrt(2))
    return found


def _excess(mean: Floats, sd: Floats) -> Floats:
    """Mean of a normal number where it is positive, and of 0 elsewhere."""
    at = mean / np.maximum(sd, NEGLIGIBLE)
    return mean * (1 + _lean(mean, sd)) / 2 + sd * np.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
