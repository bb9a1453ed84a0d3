"""The still picture of a ramp: workers that are made 1, 2, 4 ... a second for a crowd."""

from markupsafe import Markup

from labs.site.svg import dashed, drawing, line, text
from labs.theory import laws

LEFT, WIDE, TOP, HIGH = 44, 580, 20, 120
AFTER = 2  # seconds beyond the last look


def picture(users: int, first: int, limit: int) -> Markup:
    """An SVG: users and workers over the seconds since all users came at once."""
    wanted = min(users, limit)
    looks = laws.looks(wanted=wanted, start=first)
    # laws.looks is the rule; a level's workers are the most that so many looks have made.
    levels = [
        max(n for n in range(first, wanted + 1) if laws.looks(n, first) <= look)
        for look in range(looks + 1)
    ]
    span = looks + AFTER

    def x(second: float) -> float:
        return LEFT + WIDE * second / span

    def y(count: float) -> float:
        return TOP + HIGH * (1 - count / users)

    steps = f"M{x(0):.1f} {y(levels[0]):.1f}"
    for second, level in enumerate(levels):
        steps += f"H{x(second):.1f}V{y(level):.1f}"
    steps += f"H{x(span):.1f}"
    outside = f"{steps}V{y(users):.1f}H{x(0):.1f}Z"
    said = (
        f"{users} users come at once to {first} workers. The master makes 1, then 2, 4, and at "
        f"most 32 a second: {', '.join(map(str, levels))}. After {looks} s there are {wanted}."
    )
    parts = [
        Markup('<path d="{}" fill-opacity="0.15"/>').format(outside),
        line(f"M{LEFT} {TOP}V{TOP + HIGH}H{LEFT + WIDE}"),
        line(f"M{LEFT} {y(users)}H{LEFT + WIDE}", 1.5, dashed()),
        line(steps, 2.5),
        text(LEFT - 6, TOP + 5, users, "end"),
        text(x(1.5), y(0.75 * users), "outside", "middle"),
        text(x(looks), y(0.35 * users), "workers", "middle"),
        text(LEFT, TOP + HIGH + 20, 0, "middle"),
        text(x(looks), TOP + HIGH + 20, f"{looks} s", "middle"),
    ]
    return drawing(said, 168, parts)
