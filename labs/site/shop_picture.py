"""The still picture of a scene: the shop as the model has it on average, a dot for each request."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup

from labs.site.svg import drawing
from labs.theory import laws, queueing

LEFT, POOL, CORES, RIGHT = 4, 190, 548, 636  # edges of line, pool and cores
TOP, HIGH = 26, 140
LARGEST = 11.0  # radius of a dot
CELL = 2.5  # a dot's place, in radii
DRAWN = 24  # visitors in line, where their number finds no level


def picture(numbers: Mapping[str, float], held: float = 0.0) -> Markup:
    """An SVG for these numbers (seconds, as in the page); `held` visitors a second come while a
    button is held down."""
    line, computing, waiting = _crowd(numbers, held)
    workers, cores = int(numbers["workers"]), int(numbers["cores"])
    said = (
        f"{line} requests in line; {computing + waiting} of {workers} workers taken, "
        f"{computing} of them by requests that want a core and {waiting} by requests that wait; "
        f"{cores} {'core' if cores == 1 else 'cores'}."
    )
    radius = _radius(POOL - LEFT - 20, max(line, 1))
    radius = min(radius, _radius(CORES - POOL - 20, workers))
    parts = [
        *_labels(line, computing, waiting, workers, cores),
        *_dots(POOL - 20, -1, line, radius, "queued"),
        *_dots(POOL, 1, computing, radius, "computing"),
        *_dots(POOL, 1, waiting, radius, "waiting", first=computing),
        *_boxes(cores, min(computing, cores)),
    ]
    return drawing(said, 176, parts)


def _crowd(numbers: Mapping[str, float], held: float) -> tuple[int, int, int]:
    """On average: in line, wanting a core, waiting off the cores."""
    D, V, Z = numbers["cpu"], numbers["wait"], numbers["think"]
    W, c, N = int(numbers["workers"]), int(numbers["cores"]), int(numbers["users"])
    places = int(numbers["places"])
    if N == 0:
        arrivals = max(numbers["rate"], held)
        X = min(arrivals, laws.bound(N=10**6, D=D, V=V, c=c, W=W))
        line = min(places, DRAWN) if arrivals > X else 0
        inside = W if line else min(W, round(X * (D + V)))
    else:
        X = queueing.closed(N, D, V, tuple(range(1, c + 1)), W=W, Z=Z)
        there = round(N - X * Z)
        inside = min(W, there)
        line = min(places, there - inside)
    waiting = min(inside, round(X * V))
    return line, inside - waiting, waiting


def _radius(width: float, count: int) -> float:
    radius = LARGEST
    while radius > 2 and int(width / (CELL * radius)) * int(HIGH / (CELL * radius)) < count:
        radius -= 0.25
    return radius


def _dots(
    edge: float, way: int, count: int, radius: float, kind: str, first: int = 0
) -> Iterator[Markup]:
    """Column by column from that edge on; a line stands with its head at the right."""
    cell = CELL * radius
    rows = int(HIGH / cell)
    how = {
        "queued": 'fill-opacity="0.35"',
        "computing": 'fill-opacity="0.85"',
        "waiting": 'fill="none" stroke="currentColor" stroke-width="1.3"',
    }[kind]
    for index in range(first, first + count):
        x = edge + way * (index // rows + 0.5) * cell + (8 if way > 0 else -4)
        y = TOP + (index % rows + 0.5) * cell
        yield Markup(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" {how}/>')


def _labels(line: int, computing: int, waiting: int, workers: int, cores: int) -> Iterator[Markup]:
    yield Markup(
        '<g fill="none" stroke="currentColor" stroke-width="1.3">'
        f'<path d="M{LEFT} {TOP - 2}H{POOL - 20}M{LEFT} {TOP + HIGH + 2}H{POOL - 20}"/>'
        f'<rect x="{POOL}" y="{TOP - 2}" width="{CORES - POOL - 16}" height="{HIGH + 4}" rx="6"/>'
        "</g>"
    )
    text = Markup('<text x="{}" y="16">{}</text>')
    yield text.format(LEFT, f"in line {line}")
    yield text.format(POOL, f"workers {computing + waiting} of {workers}")
    yield text.format(CORES, f"cores {cores}")


def _boxes(cores: int, busy: int) -> Iterator[Markup]:
    high = min(40.0, (HIGH + 6) / cores - 6)
    for core in range(cores):
        y = TOP + core * (high + 6)
        how = 'fill-opacity="0.85"' if core < busy else 'fill="none" stroke-dasharray="5 4"'
        yield Markup(
            f'<rect x="{CORES}" y="{y:.1f}" width="{RIGHT - CORES}" height="{high:.1f}" rx="4" '
            f'stroke="currentColor" stroke-width="1.3" {how}/>'
        )
