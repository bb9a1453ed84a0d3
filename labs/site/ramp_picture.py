"""The still picture of a ramp: workers that are made 1, 2, 4 ... a second for a crowd.

For readers without JavaScript, and in print. In the page's own colours, as the other drawings.
"""

from __future__ import annotations

from markupsafe import Markup

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
    dashed = Markup(' stroke-dasharray="6 5"')
    text = Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>')
    line = Markup('<path d="{}" fill="{}" stroke="currentColor" stroke-width="{}"{}/>')
    parts = [
        Markup('<path d="{}" fill-opacity="0.15"/>').format(outside),
        line.format(f"M{LEFT} {TOP}V{TOP + HIGH}H{LEFT + WIDE}", "none", 1.3, ""),
        line.format(f"M{LEFT} {y(users)}H{LEFT + WIDE}", "none", 1.5, dashed),
        line.format(steps, "none", 2.5, ""),
        text.format(LEFT - 6, TOP + 5, "end", users),
        text.format(x(1.5), y(0.75 * users), "middle", "outside"),
        text.format(x(looks), y(0.35 * users), "middle", "workers"),
        text.format(LEFT, TOP + HIGH + 20, "middle", 0),
        text.format(f"{x(looks):.1f}", TOP + HIGH + 20, "middle", f"{looks} s"),
    ]
    frame = Markup(
        '<svg viewBox="0 0 640 168" role="img" aria-label="{}" fill="currentColor" '
        'font-size="15" font-family="inherit">{}</svg>\n'
    )
    return frame.format(said, Markup("").join(parts))
