"""The still pictures of four scenes: ceilings, samples, core-hopping and quota, by their laws."""

import math
from collections.abc import Mapping

from markupsafe import Markup

from labs.site.svg import HALF, OUTLINED, ROUND, box, dashed, drawing, line, text
from labs.theory import laws

LEFT, RIGHT = 110, 530  # edges of bars, with words on both sides
ROW = 30
PERIOD_S = 0.1  # of a quota, as Linux has it
PERIODS = 5
MOVES = 24
GOLDEN = 0.618034  # steps of this part go over all cores without a pattern


def ceilings(of: Mapping[str, float]) -> Markup:
    """Bars as long as each thing allows requests a second; the lowest is filled."""
    everything = sum(of[name] for name in ("cpu", "wait", "locked", "query", "disk"))
    needs = {
        "pool": laws.ceiling(of["workers"], everything),
        "cores": laws.ceiling(of["cores"], of["cpu"]),
        "lock": laws.ceiling(1, of["locked"]),
        "database": laws.ceiling(of["connections"], of["query"]),
        "disk": laws.ceiling(1, of["disk"]),
    }
    shown = {name: allows for name, allows in needs.items() if allows < math.inf}
    lowest, highest = min(shown, key=lambda name: shown[name]), max(shown.values())
    parts = []
    for row, (name, allows) in enumerate(shown.items()):
        y, wide = 8 + ROW * row, (RIGHT - LEFT) * allows / highest
        parts += [
            box(LEFT, y, wide, 20, (HALF if name == lowest else OUTLINED) + ROUND),
            text(LEFT - 10, y + 15, name, "end"),
            text(LEFT + wide + 10, y + 15, f"{allows:.3g}"),
        ]
    said = ", ".join(f"{name} {allows:.3g}" for name, allows in shown.items())
    end = LEFT + (RIGHT - LEFT) * shown[lowest] / highest
    parts.append(line(f"M{end:.1f} 2V{8 + ROW * len(shown)}", how=dashed(5, 4)))
    return drawing(
        f"Requests a second that each allows: {said}. The lowest, {lowest}, holds, "
        "whatever the others allow.",
        12 + ROW * len(shown),
        parts,
    )


def samples(of: Mapping[str, float]) -> Markup:
    """For two tests of so many requests, where their means are going to lie, nineteen times of
    twenty, and the difference."""
    half = 1.96 * of["deviation"] / of["requests"] ** 0.5
    both = half * 2**0.5
    first, last = -half * 1.2, of["apart"] + half * 1.2
    rows = [("one", 0.0, half), ("the other", of["apart"], half)]
    parts = []
    for row, (name, middle, around) in enumerate(rows):
        y = 14 + ROW * row
        wide = (RIGHT - LEFT) / (last - first)
        x = LEFT + (middle - first) * wide
        parts += [
            text(LEFT - 10, y + 5, name, "end"),
            line(f"M{x - around * wide:.1f} {y}H{x + around * wide:.1f}", thick=5),
            Markup('<circle cx="{:.1f}" cy="{}" r="6"/>').format(x, y),
            text(RIGHT + 10, y + 5, f"± {1000 * around:.3g} ms"),
        ]
    said = (
        f"Two tests of {of['requests']:.0f} requests each. Their means scatter by "
        f"{1000 * half:.3g} ms, the difference by {1000 * both:.3g} ms; the servers are "
        f"{1000 * of['apart']:.3g} ms apart."
    )
    said_of_both = f"the difference: {1000 * of['apart']:.3g} ± {1000 * both:.3g} ms"
    parts.append(text(LEFT, 84, said_of_both))
    return drawing(said, 94, parts)


def hopping(of: Mapping[str, float]) -> Markup:
    """Rows of cores with one thread at work on another core each time."""
    cores = int(of["cores"])
    step = (RIGHT - LEFT) / MOVES
    parts = []
    for core in range(cores):
        y = 8 + ROW * core
        stays = [move for move in range(MOVES) if int(move * GOLDEN % 1 * cores) == core]
        parts += [
            box(LEFT, y, RIGHT - LEFT, 20, OUTLINED + ROUND),
            text(LEFT - 10, y + 15, f"core {core}", "end"),
        ]
        parts += [box(LEFT + step * move, y, step, 20, HALF + ROUND) for move in stays]
        parts.append(text(RIGHT + 10, y + 15, f"{len(stays) / MOVES:.0%}".replace("%", " %")))
    said = (
        f"One thread on {cores} cores: never two at work at once, and each of them busy for a "
        "part of the time."
    )
    return drawing(said, 12 + ROW * cores, parts)


def quota(of: Mapping[str, float]) -> Markup:
    """What is left of the budget over some periods, and when the workers stand still."""
    running = min(of["workers"], of["cores"])
    allowed = of["quota"] or of["cores"]
    runs = min(1.0, allowed / running)  # of a period
    period = (RIGHT - LEFT) / PERIODS
    parts = [text(LEFT - 10, 30, "budget", "end"), text(LEFT - 10, 115, "workers", "end")]
    for each in range(PERIODS):
        x = LEFT + each * period
        parts.append(line(f"M{x:.1f} 14L{x + runs * period:.1f} 84H{x + period:.1f}", thick=2))
        parts.append(box(x, 100, runs * period, 20, HALF + ROUND))
    parts.append(text(LEFT, 142, f"{PERIODS * PERIOD_S:g} s"))
    said = (
        f"A budget of {1000 * allowed * PERIOD_S:.3g} ms CPU time for each 100 ms: "
        f"{of['workers']:.0f} workers run for {100 * runs:.3g} ms of them and stand still for "
        f"{100 - 100 * runs:.3g}."
    )
    return drawing(said, 150, parts)
