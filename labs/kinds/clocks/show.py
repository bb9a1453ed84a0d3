"""The clocks lab drawn and told: wall time, CPU time and waiting of each page."""

from labs.kinds.clocks.record import Clocks, PageClock
from labs.kinds.show import Column, Show
from labs.present.palette import BLUE, FAINT, GREY, PURPLE
from labs.present.plot import FROM_ZERO, NAMES, Figure, Shown, layout, part
from labs.present.quantities import Quantity
from labs.present.tables import MS
from labs.records.format import NARROW, digits, duration


def clocks_figure(clocks: Clocks) -> Figure:
    """Draw for each page two bars as long as its wall time: what the server's processes did in it,
    and below what `time` tells of the client."""
    pages = clocks.run.pages
    rows = [label for page in pages for label in (page.name, _client(page))]
    clients = [page.client for page in pages]
    cpu_s = [client.user_s + client.system_s for client in clients]
    rest_s = [client.real_s - cpu for client, cpu in zip(clients, cpu_s, strict=True)]
    parts = (
        ("CPU, the server's", BLUE, "", [page.median_cpu_s for page in pages], 0),
        ("waiting", PURPLE, ".", [page.median_wait_s for page in pages], 0),
        ("user + sys of the client", GREY, "x", cpu_s, 1),
        ("the rest of real", FAINT, "", rest_s, 1),
    )
    traces = []
    for name, colour, pattern, found_s, first in parts:
        values_ms = [round(each_s * MS, 3) for each_s in found_s]
        said = [duration(each_s) for each_s in found_s]
        shown: Shown = {"pattern": pattern, "said": said, "hover": "{y}: {said}"}
        traces.append(part(name, rows[first::2], values_ms, colour, **shown))
    made = layout(
        56 * len(rows) + 120,
        {"t": 16, "b": 104},
        -0.22,
        barmode="stack",
        bargap=0.3,
        xaxis={"title": {"text": "wall time, ms"}, **FROM_ZERO},
        yaxis={"categoryorder": "array", "categoryarray": rows[::-1], **NAMES},
    )
    made["legend"]["traceorder"] = "normal"
    return {"data": traces, "layout": made}


def clocks_alt(clocks: Clocks) -> str:
    """Say the three clocks in sentences."""
    return " ".join(
        f"The page “{page.name}” took {duration(page.median_wall_s)} of wall time: "
        f"{duration(page.median_cpu_s)} of the server's CPU time and "
        f"{duration(page.median_wait_s)} of waiting."
        for page in clocks.run.pages
    )


def _client(page: PageClock) -> str:
    return f"{page.name}: {page.client.program}"


def _curl(clocks: Clocks, name: str) -> Quantity:
    """Quote user and sys as `time` prints them for the client."""
    client = clocks.page(name).client
    user, system = (digits(each * 1000, 2) for each in (client.user_s, client.system_s))
    return Quantity(client.user_s + client.system_s, f"{user} + {system}{NARROW}ms")


show = Show(
    result=Clocks,
    middle_by="the wall time of the last page",
    draw=clocks_figure,
    alt=clocks_alt,
    rows=lambda clocks: clocks.run.pages,
    row=Clocks.page,
    columns=(
        Column(head="page", main=True, of="name"),
        Column(head="wall ms", main=True, of="median_wall_s", quote="wall"),
        Column(head="server's CPU ms", main=True, of="median_cpu_s", quote="cpu"),
        Column(head="waiting ms", main=True, of="median_wait_s", quote="rest"),
        Column(head="CPU / wall", of="cpu_fraction", quote="fraction", cell="{:.3f}".format),
        Column(head="client", of="client.program"),
        Column(head="its real ms", of="client.real_s", quote="curl_real"),
        Column(head="its user ms", of="client.user_s"),
        Column(head="its sys ms", of="client.system_s"),
    ),
    quotes={"curl": _curl},
)
