"""The clocks lab drawn and told: wall time, CPU time and waiting of each page."""

from __future__ import annotations

from labs.kinds.clocks.record import Clocks, PageClock
from labs.kinds.show import Column, Show
from labs.present.palette import BLUE, FAINT, GREY, ORANGE, PURPLE
from labs.present.plot import Figure, Trace
from labs.present.quantities import Quantity
from labs.records.format import NARROW, digits, duration


def clocks_figure(clocks: Clocks) -> Figure:
    """For each page two bars as long as its wall time: what the server's processes did in it,
    and below what `time` tells of the client."""
    pages = clocks.run.pages
    rows = [label for page in pages for label in (page.name, _client(page))]
    parts = (
        ("user, the server's", BLUE, "", [_user(page) for page in pages], True),
        ("system, the server's", ORANGE, "/", [_system(page) for page in pages], True),
        ("waiting", PURPLE, ".", [page.median_wait_s for page in pages], True),
        (
            "user + sys of the client",
            GREY,
            "x",
            [page.client.user_s + page.client.system_s for page in pages],
            False,
        ),
        (
            "the rest of real",
            FAINT,
            "",
            [page.client.real_s - page.client.user_s - page.client.system_s for page in pages],
            False,
        ),
    )
    traces: list[Trace] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": rows[0 if servers else 1 :: 2],
            "x": [round(value * 1000, 3) for value in values],
            "marker": {"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay"}},
            "customdata": [duration(value) for value in values],
            "hovertemplate": f"%{{y}}: %{{customdata}}<extra>{name}</extra>",
        }
        for name, colour, pattern, values, servers in parts
    ]
    return {
        "data": traces,
        "layout": {
            "barmode": "stack",
            "height": 56 * len(rows) + 120,
            "margin": {"t": 16, "b": 104},
            "bargap": 0.3,
            "hovermode": "closest",
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": -0.22,
                "yanchor": "top",
                "traceorder": "normal",
            },
            "xaxis": {"title": {"text": "wall time, ms"}, "rangemode": "tozero"},
            "yaxis": {
                "categoryorder": "array",
                "categoryarray": rows[::-1],
                "showgrid": False,
                "ticks": "",
            },
        },
    }


def clocks_alt(clocks: Clocks) -> str:
    """The three clocks in sentences."""
    return " ".join(
        f"The page “{page.name}” took {duration(page.median_wall_s)} of wall time: "
        f"{duration(page.median_cpu_s)} of the server's CPU time and "
        f"{duration(page.median_wait_s)} of waiting."
        for page in clocks.run.pages
    )


def _client(page: PageClock) -> str:
    return f"{page.name}: {page.client.program.split()[0]}"


def _user(page: PageClock) -> float:
    return page.median_cpu_s - _system(page)


def _system(page: PageClock) -> float:
    return page.median_cpu_s * (page.system_fraction or 0.0)


def _curl(clocks: Clocks, name: str) -> Quantity:
    """User and sys as `time` prints them for the client."""
    client = clocks.page(name).client
    user, system = (digits(each * 1000, 2) for each in (client.user_s, client.system_s))
    return Quantity(client.user_s + client.system_s, f"{user} + {system}{NARROW}ms")


show = Show(
    result=Clocks,
    figure=clocks_figure,
    alt=clocks_alt,
    rows=lambda clocks: clocks.run.pages,
    row=Clocks.page,
    columns=(
        Column(head="page", of="name"),
        Column(head="wall ms", of="median_wall_s", quote="wall"),
        Column(head="server's CPU ms", of="median_cpu_s", quote="cpu"),
        Column(head="waiting ms", of="median_wait_s", quote="rest"),
        Column(
            head="CPU / wall",
            of="cpu_fraction",
            quote="fraction",
            cell=lambda value: f"{value:.3f}",
        ),
        Column(head="client", of="client.program"),
        Column(head="its real ms", of="client.real_s", quote="curl_real"),
        Column(head="its user ms", of="client.user_s"),
        Column(head="its sys ms", of="client.system_s"),
    ),
    quotes={"curl": _curl},
)
