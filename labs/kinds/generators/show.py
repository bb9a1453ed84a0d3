"""The lab of the load generators drawn and told: what each says, and who was full."""

from __future__ import annotations

import html
from typing import Any

from labs.kinds.generators.record import FULL, OURS, Gauge, Gauges
from labs.present.palette import BLUE, GREEN, GREY, ORANGE, pale
from labs.present.plot import Figure, bars, extent, finite, two_plots
from labs.records.format import digits, duration, paragraphs, percent, plain, rate, table

WHERE = ("Throughput as it says, requests per second", "Cores busy")
# Addresses that are nobody's, for documentation (RFC 5737).
MASTER_ADDRESS, SERVER_ADDRESS = "192.0.2.10", "192.0.2.1"


def gauges_figure(gauges: Gauges) -> Figure:
    """Left, the throughput each generator reports, with the spread over the runs; right, the
    cores that it and the server used meanwhile."""
    shown = gauges.run.measured
    names = [label(gauge.name).replace(" ", "<br>") for gauge in shown]  # two lines have room
    rates = [gauge.throughput_rps for gauge in shown]
    ends = [extent(_over_runs(gauges, gauge.name)) for gauge in shown]
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": "throughput",
            "x": names,
            "y": finite(rates),
            "marker": pale(BLUE),
            "error_y": bars(rates, ends, BLUE),
            "customdata": [
                f"{rate(gauge.throughput_rps)}, {duration(gauge.mean_response_time_s)} each"
                for gauge in shown
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
            "showlegend": False,
            "xaxis": "x",
            "yaxis": "y",
        }
    ]
    sides = (
        ("the generator's", GREEN, "", [gauge.generator_cpu for gauge in shown]),
        ("the server's", ORANGE, "/", [gauge.server_cpu for gauge in shown]),
    )
    for name, colour, pattern, cores in sides:
        traces.append(
            {
                "type": "bar",
                "name": name,
                "x": names,
                "y": finite(cores),
                "marker": {"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay"}},
                "customdata": [digits(value, 2) for value in cores],
                "hovertemplate": f"%{{customdata}} cores<extra>{name}</extra>",
                "xaxis": "x2",
                "yaxis": "y2",
            }
        )
    return {"data": traces, "layout": _layout()}


def gauges_alt(gauges: Gauges) -> str:
    """The figure in sentences."""
    return " ".join(
        f"{label(gauge.name)}: not installed."
        if gauge.missing
        else f"{label(gauge.name)}: {rate(gauge.throughput_rps)}, where the generator used "
        f"{digits(gauge.generator_cpu, 2)} and the server {digits(gauge.server_cpu, 2)} of a core."
        for gauge in gauges.run.gauges
    )


def gauges_words(gauges: Gauges) -> str:
    """Under the figure, as HTML: the verdict, the table, and a worker for another machine."""
    sentences = paragraphs(gauges_said(gauges))
    head = [
        *("", "req/s", "mean", "its cores", "its CPU a request"),
        *("server's cores", "server's CPU a request", "full"),
    ]
    rows = [
        (label(gauge.name), gauge.missing, *[""] * 6)
        if gauge.missing
        else (
            label(gauge.name),
            digits(gauge.throughput_rps),
            duration(gauge.mean_response_time_s),
            digits(gauge.generator_cpu, 2),
            duration(gauge.generator_s),
            digits(gauge.server_cpu, 2),
            duration(gauge.server_s),
            " and ".join(gauge.full) or "nobody",
        )
        for gauge in gauges.run.gauges
    ]
    return f'<div role="status">{sentences}</div>{table(head, rows)}{elsewhere()}'


def gauges_said(gauges: Gauges) -> list[str]:
    """The verdict, a sentence each."""
    return [_said(gauge) for gauge in gauges.run.gauges] + _together(gauges)


def _said(gauge: Gauge) -> str:
    name = label(gauge.name)
    if gauge.missing:
        return f"{name} is {gauge.missing}."
    own, its = percent(gauge.generator_fullest), percent(gauge.server_fullest)
    many = gauge.processes > 1
    says = f"{name} {'say' if many else 'says'} {rate(gauge.throughput_rps)}"
    if gauge.full == ("generator",):
        had = f"the busiest of them had {own} of a core" if many else f"had {own} of a core itself"
        return f"{says}, and {had}: full. {'They' if many else 'It'} measured {_self(many)}."
    if gauge.full == ("server",):
        return f"{says}. The server was full ({its} of a core), the generator was not ({own})."
    if gauge.full:
        who = "The machine was full" if "machine" in gauge.full else "Both were full"
        return f"{says}. {who}: generator {own} of a core, server {its}. Each held the other back."
    return f"{says}. Nobody was full: generator {own} of a core, server {its}."


def _self(many: bool) -> str:
    return "themselves" if many else "itself"


def _together(gauges: Gauges) -> list[str]:
    """What they say side by side."""
    shown = gauges.run.measured
    least = min(shown, key=lambda gauge: gauge.throughput_rps)
    most = max(shown, key=lambda gauge: gauge.throughput_rps)
    times = most.throughput_rps / least.throughput_rps
    if times < 1.15:
        between = percent(times - 1)
        return [f"They agree within {between}: the server was measured, not the generators."]
    said = [
        f"It was the same server: {label(most.name)} saw {digits(times, 2)} times the throughput "
        f"that {label(least.name)} saw."
    ]
    slow = max(shown, key=lambda gauge: gauge.mean_response_time_s)
    fast = min(shown, key=lambda gauge: gauge.mean_response_time_s)
    said.append(
        f"Response times differ as much, from {duration(fast.mean_response_time_s)} "
        f"({label(fast.name)}) to {duration(slow.mean_response_time_s)} ({label(slow.name)}): a "
        "full generator comes late to answers that have long been there."
    )
    ours = next((gauge for gauge in shown if gauge.name == OURS), None)
    if ours is not None and ours.generator_cpu:
        trusted = FULL * ours.ceiling_rps
        said.append(
            f"One Locust process spends {duration(ours.generator_s)} of CPU on a request. Up to "
            f"{rate(trusted)}, {percent(FULL)} of what a full core of it makes, its figures may "
            "be trusted here."
        )
    return said


def elsewhere(workers: int = 10) -> str:
    """How to go beyond one machine, as HTML: commands to type there. The labs never do it."""
    master = (
        f"locust -f users.py --master --master-bind-host {MASTER_ADDRESS} --expect-workers "
        f"{workers} --headless --users 1000 --spawn-rate 100 --run-time 60s "
        f"--host http://{SERVER_ADDRESS}"
    )
    worker = f"locust -f users.py --worker --master-host {MASTER_ADDRESS} --processes 4"
    return (
        '<details class="wt-data"><summary>More generators than this machine has cores</summary>'
        "<p>This lab stays on your machine. Locust goes further by the same two parts, a master "
        "that counts and workers that ask. Only do this to a server that is yours. Start the "
        "master on one machine:</p>"
        f"<pre>{html.escape(master)}</pre>"
        "<p>and on each of the others, for each of their cores, here four, one worker:</p>"
        f"<pre>{html.escape(worker)}</pre>"
        f"<p>{MASTER_ADDRESS} stands for the master's address in your own network: without "
        "<code>--master-bind-host</code> it listens on all of them, and has no password. Workers "
        f"need to reach its port 5557. The master waits until {workers} workers are there, shares "
        "the users out among them and adds up what they report.</p></details>"
    )


def gauges_rows(gauges: Gauges) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Head and rows of the table of all numbers, of every run."""
    head = (
        *("run", "generator", "program", "processes", "requests", "failed", "req/s", "mean ms"),
        *("its cores", "fullest process", "its CPU µs a request", "server's cores"),
        *("server's CPU µs a request", "others' cores", "full", "command"),
    )
    rows = tuple(
        (
            str(number),
            gauge.name,
            gauge.program,
            *(
                [""] * 11
                if gauge.missing
                else [
                    str(gauge.processes),
                    str(gauge.requests),
                    str(gauge.failed),
                    plain(gauge.throughput_rps),
                    plain(gauge.mean_response_time_s * 1000),
                    plain(gauge.generator_cpu),
                    plain(gauge.generator_fullest),
                    plain(gauge.generator_s * 1e6),
                    plain(gauge.server_cpu),
                    plain(gauge.server_s * 1e6),
                    plain(gauge.others_cpu),
                ]
            ),
            gauge.missing or " and ".join(gauge.full) or "nobody",
            gauge.command,
        )
        for number, run in enumerate(gauges.runs, 1)
        for gauge in run.gauges
    )
    return head, rows


def label(name: str) -> str:
    """How a generator is called in a sentence: Locust, 1 plain Locust, ab."""
    if name == OURS:
        return "Locust"
    count, space, rest = name.partition(" ")
    if not space:
        return name
    return f"{count} plain Locust" + ("s" if rest.endswith("s") else "")


def _over_runs(gauges: Gauges, name: str) -> list[float]:
    found = (gauge for run in gauges.runs for gauge in run.measured if gauge.name == name)
    return [gauge.throughput_rps for gauge in found]


def _layout() -> dict[str, Any]:
    axis = {"type": "category", "showgrid": False, "ticks": "", "tickangle": 0}
    upwards = {"rangemode": "tozero"}
    full = {
        "type": "line",
        "xref": "x2 domain",
        "yref": "y2",
        "x0": 0,
        "x1": 1,
        "y0": FULL,
        "y1": FULL,
        "line": {"color": GREY, "width": 1.5, "dash": "dash"},
    }
    layout = two_plots(WHERE, (0.46, 0.56), (axis, axis), (upwards, upwards), left=56, lower=0.38)
    return {"barmode": "group", "bargap": 0.3, "shapes": [full], **layout}
