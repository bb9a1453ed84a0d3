"""What prose quotes from a recording: numbers with their unit, and a page that is built so."""

import math
from dataclasses import replace
from pathlib import Path

import examples
import pytest
from chapters import build
from markup import sheet
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from labs.kinds.sweep import report
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.show import show
from labs.present.quantities import NoSuchNumber
from labs.recordings import store
from labs.records.histogram import MoreThan, histogram
from labs.site.roles.measured_role import measured

QUOTED = {
    "many-cores": [
        "throughput(4)", "response_time(8)", "demand", "demand(8)", "forecast(1)", "bound(1)",
        "spread(8)", "relative(8)", "in_flight(8)", "change(1, 8)", "change(4, 8)",
        "least_change(1, 8)", "least_change(4, 8)", "generator_busy(4)",
        "cpu_ceiling(8)", "voluntary(4)", "involuntary(4)", "cores_busy(8)",
        "response_time_for(32)", "fit", "percentile(8, 90)",
    ],
    "wall-time": [
        'wall("burn")', 'cpu("sleep")', 'rest("both")', 'fraction("both")', 'curl("sleep")',
        'curl_real("sleep")',
    ],
    "your-machine": [
        "effective_cores", "capacity", "loops_per_s", "timer", "loopback", "generator",
        "generator_ceiling", "generator_trusted", "noise",
    ],
}  # fmt: skip


@pytest.mark.usefixtures("shelf")
def test_measured_words(snapshot: SnapshotAssertion) -> None:
    told = {f"{lab}: {text}": (lab, text) for lab, texts in QUOTED.items() for text in texts}
    assert sheet({name: str(measured(*each)) for name, each in told.items()}) == snapshot


@pytest.mark.usefixtures("shelf")
def test_measured_refuses_a_name_for_what_is_given() -> None:
    with pytest.raises(NoSuchNumber, match="give plain numbers"):
        measured("many-cores", "throughput(users=3)")


def starved() -> Recording:
    """A run at whose last level three of eight users stood at the door, and a tenth of the
    requests were still open."""
    recording = examples.recording(1.0)
    (run,) = recording.runs
    last = run.points[-1]
    last = replace(last, never_served=3, histogram=histogram([0.2] * 3600), longer=400)
    return structs.replace(recording, runs=(replace(run, points=(*run.points[:-1], last)),))


def test_a_time_that_was_not_seen_to_its_end_is_no_number() -> None:
    """Of these the median is known, and of the 99th percentile that it is longer than that."""
    recording = starved()
    last = recording.points[-1]
    assert last.percentile_s(0.5) == pytest.approx(0.2, rel=0.0101)
    late = last.percentile_s(0.99)
    assert isinstance(late, MoreThan) and 0.2 / 1.0201 < late.seconds <= 0.2
    quoted = show.quote(recording, "percentile", 8, 99)
    assert str(quoted).replace("\u00a0", " ") == "more than 198 ms"
    assert math.isnan(float(quoted))
    table = show.table(recording)
    row = dict(zip(table.head, table.rows[-1], strict=True))
    assert float(row["p50 ms"]) == pytest.approx(200, rel=0.0101)
    assert row["p99 ms"] == "more than 198.5" and row["never served"] == "3"
    assert "more than 198.5" in table.csv() and "more than 198.5" in report.table(table)
    told = report.joined(recording)["points"][-1]
    assert told["response_time_s"]["p99"] == {"more_than": late.seconds}
    assert told["response_time_s"]["p50"] == last.percentile_s(0.5)
    assert told["never_served"] == 3


def test_the_terminal_has_the_interval_and_what_is_to_know_below_its_row() -> None:
    whole = examples.recording(1.0)
    last = replace(whole.points[-1], checks=(examples.UNFIT,))
    run = replace(whole.run, points=(*whole.points[:-1], last))
    sheet = show.table(structs.replace(whole, runs=(run,)))
    head, *_, row, below = report.table(sheet).splitlines()
    assert head.split()[:4] == ["users", "req/s", "from", "to"] and "queued" not in head
    assert "never served" not in head
    assert "never served" in report.table(show.table(starved())).splitlines()[0]
    assert row.split()[:4] == list(sheet.rows[-1][:4])
    assert below.strip() == f"Unfit: {examples.UNFIT.sentence}"


PAGE = """# M

Got {measured}`throughput(4)` and {measured}`wall-time: cpu('burn')`,
of {law}`bound(N=16, D=0.2) req/s`.

Twice the cores {claim}`did *twice* as much, [throughput(4) within 3 % of 2 * throughput(1)]` here.

And {claim}``the `burn` took longer. [wall-time: cpu("burn") > 90 ms]``

```{law}
D = \\law{1e6 * demand(busy=412.8, completed=3e6) to 3 digits}\\ \\mu\\text{s}, X = \\law{4 * 12500}
```
"""
REFUSED = """
Got {measured}`many-cores: throughput(3)`, {claim}`a lot. [many-cores: throughput(3) > 1]`

It {claim}`was *fast*, [many-cores: throughput(4) > 30 req/s]`

It is {law}`wait(R=1, D=2) ms`.

```{law}
D = \\law{demand(busy=1, completed=0)}
```

```{law}
D = \\law{demand(busy=1, completed=2) ms}
```
"""


def test_a_page_says_what_its_recording_and_the_laws_say(shelf: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    index = "# T\n\n```{toctree}\nmany-cores\n```\n"
    (source / "index.md").write_text(index)
    (source / "many-cores.md").write_text(PAGE)
    built = source / "out" / "many-cores.html"

    def text() -> str:
        return built.read_text().replace("\u00a0", " ")

    assert build(source) == ""
    assert '<span class="wt-measured">39.2 req/s</span>' in text()
    assert '<span class="wt-measured">100 ms</span>' in text()
    assert ">5 req/s<" in text()
    assert "D = 138\\ \\mu\\text{s}, X = 50\\,000" in text()
    assert '<span class="wt-claim">did <em>twice</em> as much,</span> here.' in text()
    assert "burn" in text() and "90 ms" not in text()

    store.save(examples.recording(0.5), shelf / "many-cores" / "2-cores.json")
    (source / "index.md").write_text(index + REFUSED)
    complaint = build(source)
    assert "20 req/s" in text()  # the recording changed, not the page
    for said in (
        "index.md:7: WARNING: {measured}`many-cores: throughput(3)`: users=3: not",
        "index.md:7: WARNING: {claim}`a lot. [many-cores: throughput(3) > 1]`: users=3: not",
        "index.md:9: WARNING: {claim}`was *fast*,`: ",
        "throughput(4) is 20\u00a0req/s",
        "index.md:11: WARNING: {law}`wait(R=1, D=2) ms`: D=2: more CPU time",
        "index.md:13: WARNING: {law}: completed=0: must be more than 0",
        "index.md:17: WARNING: {law}: \\law{demand(busy=1, completed=2) ms}: TeX sets the unit",
    ):
        assert said in complaint
