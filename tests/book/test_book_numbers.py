"""The numbers in the book: recorded where they are ours, and true by the laws it teaches."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from chapters import Page, chapters, pages, tables

from labs.kinds.clocks.record import Clocks
from labs.kinds.sweep.record import Recording
from labs.present.quantities import Quantity
from labs.recordings import recorder, store
from labs.site.law_role import worked
from labs.site.measured_role import measured
from labs.theory import laws, queueing

pytestmark = pytest.mark.chapters

RUNS = 3
FIT = 5 / 6  # of a lab's points, over all its runs


S1 = [["1", "5.04"], ["2", "10.09"], ["3", "15.08"], ["4", "20.23"], ["8", "20.33"]]

# Worked numbers where no role {law} can stand: a phrase, and what the law makes of it.
DRAWN = (
    ("prefork", "RSS: 35 + 35 + 35 = {} MiB", 3 * (5 + 30)),
    ("prefork", "PSS: 15 + 15 + 15 = {} MiB", 3 * 5 + 30),
    (
        "both-at-once",
        "chance takes {} of them",
        200 - round(200 * queueing.filled(40, 0.02, 0.18, 4)),
    ),
    ("which-limit", "workers {}, lock", round(laws.ceiling(32, 0.057))),
    ("which-limit", "lock {}, database", laws.ceiling(1, 0.002)),
)

POOLS = [f"workers-for-cpu-work/{workers} workers: " for workers in (2, 25, 100)]
SHORT, LONG = "a-short-queue/16 places: ", "a-short-queue/2048 places: "

Said = Callable[[str], float]  # a number of the page's recording, or `lab: number` of another

# What prose says of a recording: page, phrase, and what must be so. Record anew and one fails:
# then the phrase has become untrue, and is to be written anew.
CLAIMS: tuple[tuple[str, str, Callable[[Said], bool]], ...] = (
    (
        "wall-time",
        "Sleep and both look alike from outside",
        lambda said: about(said('wall("sleep")'), said('wall("both")'), 0.05),
    ),
    (
        "one-core",
        "On our machine it was cheaper instead",
        lambda said: said("demand(1)") < said("demand(16)"),
    ),
    (
        "one-core",
        "a lone user got slightly more done than sixteen",
        lambda said: 1 < said("throughput(1)") / said("throughput(16)") < 1.1,
    ),
    (
        "many-cores",
        "which is more than cores can give",
        lambda said: (
            said("relative(8)") > said("cores")
            and about(
                said("demand(1)") / said("demand(8)"), said("relative(8)") / said("cores"), 0.05
            )
        ),
    ),
    (
        "past-the-plateau",
        "In our run neither suspect did it",
        lambda said: all(
            about(said(f"{suspect}(20)"), said(f"{suspect}(200)"), 0.05)
            for suspect in ("demand", "cores_busy")
        ),
    ),
    (
        "past-the-plateau",
        "But the last column says",
        lambda said: 0.5 < said("involuntary(200)") / said("involuntary(20)") < 2,
    ),
    (
        "past-the-plateau",
        "The voluntary ones run the other way",
        lambda said: falling([said(f"voluntary({users})") for users in (2, 20, 100, 200)]),
    ),
    (
        "past-the-plateau",
        "With two users nearly two hundred workers sleep",
        lambda said: about(said("voluntary(2)"), 198, 0.1) and said("voluntary(200)") < 2,
    ),
    (
        "past-the-plateau",
        "why requests were even cheaper in the crowd",
        lambda said: said("demand(2)") > said("demand(200)"),
    ),
    (
        "how-many-workers",
        "The few per cent that sixteen did gain don't come from the cores",
        lambda said: (
            1 < said('how-many-workers: ratio("16 workers", "2 workers", 4)') < 1.15
            and about(
                said("how-many-workers/16 workers: cores_busy(4)"),
                said("how-many-workers/2 workers: cores_busy(4)"),
                0.03,
            )
        ),
    ),
    (
        "how-many-workers",
        "A request cost less CPU",
        lambda said: (
            said("how-many-workers/16 workers: demand(4)")
            < said("how-many-workers/2 workers: demand(4)")
        ),
    ),
    (
        "waiting-is-cheap",
        "they fall to less than a third as the users increase",
        lambda said: said("demand(256)") < said("demand(4)") / 3,
    ),
    (
        "waiting-is-cheap",
        "one page wakes some 250 processes",
        lambda said: 200 < said("voluntary(4)") < 300,
    ),
    (
        "waiting-is-cheap",
        "A run gets near that",
        lambda said: about(said("three-waits/exponential: percentile(128, 99)"), 4.6 * 0.2, 0.15),
    ),
    (
        "the-pool",
        "would show the same 200 ms at every level",
        lambda said: all(
            about(said(f"service_time({users})"), 0.2, 0.05) for users in (8, 16, 32, 64, 96, 128)
        ),
    ),
    (
        "the-pool",
        "so it lost nothing",
        lambda said: said(SHORT + "throughput(64)") > 0.95 * said(LONG + "throughput(64)"),
    ),
    (
        "the-pool",
        "the mean response time even looks better",
        lambda said: said(SHORT + "response_time(64)") < said(LONG + "response_time(64)"),
    ),
    ("the-pool", "calls this point unfit", lambda said: said(SHORT + "fit") < said(LONG + "fit")),
    (
        "prefork",
        "if it was at work on one, as in our recording",
        lambda said: said("failed(3)") == 1,
    ),
    (
        "event-loop",
        "The last row is unfit. Locust itself used",
        lambda said: said("fit") < 1 and said("generator_busy(1024)") > 0.75,
    ),
    ("event-loop", "Our run didn't get there", lambda said: said("cores_busy(1024)") < 0.8),
    (
        "event-loop",
        "a request costs less CPU time in a crowd than alone",
        lambda said: said("demand(512)") < said("demand(16)") / 2,
    ),
    (
        "the-launch",
        "Ours did fewer and took longer",
        lambda said: all(
            said(pool + "throughput(100)") < 100 and said(pool + "response_time(100)") > 1
            for pool in POOLS
        ),
    ),
    (
        "the-launch",
        "a request cost more CPU time than it was meant to",
        lambda said: all(said(pool + "demand(100)") > 0.02 for pool in POOLS),
    ),
    (
        "the-launch",
        "With two workers nearly all of them stand in front of the door",
        lambda said: said(POOLS[0] + "queued(100)") > 0.9 * said(POOLS[0] + "response_time(100)"),
    ),
    (
        "the-launch",
        "fifty times the workers changed next to nothing",
        lambda said: about(
            said('workers-for-cpu-work: ratio("100 workers", "2 workers", 100)'), 1, 0.1
        ),
    ),
    (
        "the-launch",
        "with many more requests and fifty times the workers, shows no such loss",
        lambda said: said('workers-for-cpu-work: ratio("100 workers", "2 workers", 100)') > 0.95,
    ),
    (
        "both-at-once",
        "with 40 workers and with 60 the cores were nearly full",
        lambda said: all(
            said(f"both-at-once/{workers} workers: utilisation(60)") > 0.9 for workers in (40, 60)
        ),
    ),
    (
        "which-limit",
        "Here it brought next to nothing",
        lambda said: about(said("wrong()"), said("before()"), 0.1),
    ),
    (
        "a-small-file",
        "There the four are not alike",
        lambda said: (
            said("a-small-file/prefork: demand(20)") > 2 * said("a-small-file/nginx: demand(20)")
        ),
    ),
    (
        "a-small-file",
        "And yet in requests per second they are nearly level",
        lambda said: about(said('a-small-file: ratio("prefork", "nginx", 20)'), 1, 0.15),
    ),
    (
        "whom-are-you-measuring",
        "`ab` comes to 16",
        lambda said: about(in_flight(said, "ab"), 16, 0.02),
    ),
    ("whom-are-you-measuring", "`wrk` comes to more", lambda said: in_flight(said, "wrk") > 16.3),
    ("whom-are-you-measuring", "Locust comes to less", lambda said: in_flight(said, "locust") < 14),
    (
        "classics",
        "Nearly all our rows lie a little above 1",
        lambda said: (
            said('classics-s1: ratio(1, "Locust")') > 1
            and said('classics-s1: ratio(8, "Locust")') > 1
        ),
    ),
    (
        "classics",
        "That is why it stays below Locust",
        lambda said: all(
            said(f'classics-s1: ratio({users}, "ab")')
            < said(f'classics-s1: ratio({users}, "Locust")')
            for users in (1, 2, 3, 4, 8)
        ),
    ),
    (
        "classics",
        "the machine is full before the thread is",
        lambda said: (
            said('classics-s4: generator_cpu(20, "ab", "prefork")') < 0.9
            and said('classics-s4: generator_cpu(20, "ab", "prefork")')
            + said('classics-s4: server_cpu(20, "ab", "prefork")')
            > 1.6
        ),
    ),
    (
        "classics",
        "so the page took a little less than the 620 ms that we ordered",
        lambda said: about(
            said('classics-s5: ratio(1, "Locust", "2 workers")'),
            said('classics-s5: ratio(4, "Locust", "2 workers")'),
            0.03,
        ),
    ),
)


def about(this: float, that: float, apart: float) -> bool:
    """Whether they differ by no more than this part."""
    return math.isclose(this, that, rel_tol=apart)


def in_flight(said: Said, tool: str) -> float:
    """By Little's law, from what the tool reports."""
    return said(f'throughput("{tool}")') * said(f'response_time("{tool}")')


def falling(numbers: list[float]) -> bool:
    return numbers == sorted(set(numbers), reverse=True)


def name(page: Page) -> str:
    return page.name


def plain(text: str) -> str:
    """On one line, without the marks of emphasis and links."""
    text = re.sub(r"\{term\}`([^`<]*?)(?: <[^`]*)?`", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"[*_]", "", text))


@pytest.mark.parametrize("page", chapters(), ids=name)
def test_a_page_has_the_lab_of_its_name(page: Page) -> None:
    names = [ast.literal_eval(call.args[0]) for call in page.calls]
    assert names[0] == page.slug
    assert len(set(names)) == len(names)


LABS = [cell for cell in recorder.cells() if cell.page in {page.path for page in chapters()}]


@pytest.mark.parametrize("cell", LABS, ids=lambda cell: cell.lab)
def test_a_lab_is_recorded_as_its_cell_asks(
    cell: recorder.Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replaying it compares what the cell asks for with what was recorded."""
    monkeypatch.setenv("LABS_MODE", "replay")
    exec(compile(cell.source, str(cell.page), "exec"), {})


def test_the_three_pages_of_the_clocks_are_those_described() -> None:
    (page,) = [page for page in chapters() if page.slug == "wall-time"]
    result = store.recording(page.slug)
    assert isinstance(result, Clocks)
    said = {
        "burn": "counts in a loop for {cpu:g} ms and answers",
        "sleep": "does nothing for {wait:g} ms and answers",
        "both": "counts for {cpu:g} ms, then does nothing for {wait:g} ms",
    }
    for each in result.run.pages:
        work = {"cpu": 1000 * each.workload.cpu_s, "wait": 1000 * each.workload.wait_s}
        assert f"**{each.name}** {said[each.name].format(**work)}" in page.text


@pytest.mark.parametrize("file", [file for cell in LABS for file in store.paths(cell.lab)], ids=str)
def test_a_recording_is_whole_and_fit(file: Path) -> None:
    result = store.read(file)
    assert file == store.path(file.parent.name, result.machine)
    assert len(result.runs) >= RUNS
    if isinstance(result, Recording):
        points = [point for run in result.runs for point in run.points]
        assert len(points) == len(result.runs) * len(result.experiment.load.users)
        assert sum(point.fit for point in points) >= FIT * len(points)


@pytest.mark.parametrize(("slug", "phrase", "truth"), DRAWN, ids=lambda each: str(each)[:30])
def test_a_worked_example_is_what_the_law_says(slug: str, phrase: str, truth: float) -> None:
    (page,) = [page for page in chapters() if page.slug == slug]
    assert phrase.format(f"{truth:.4g}") in plain(page.text)


@pytest.mark.parametrize(
    ("slug", "phrase", "holds"),
    CLAIMS,
    ids=[f"{slug}: {phrase[:30]}" for slug, phrase, _ in CLAIMS],
)
def test_what_prose_says_of_a_recording_is_so(
    slug: str, phrase: str, holds: Callable[[Said], bool]
) -> None:
    (page,) = [page for page in pages() if page.slug == slug]
    assert phrase in plain(page.text)

    def number(text: str) -> float:
        lab, colon, quantity = text.partition(": ")
        return float(measured(lab, quantity) if colon else measured(slug, text))

    assert holds(number), f"{page.name}: {phrase}"


def said(text: str) -> str:
    """The text as the built page has it, as far as laws say its numbers."""
    return re.sub(r"\{law\}`([^`]*)`", lambda role: worked(role[1]).replace("\u00a0", " "), text)


def table_of(slug: str, title: str) -> list[list[str]]:
    """The rows of the table with that column."""
    (page,) = [page for page in chapters() if page.slug == slug]
    (rows,) = [rows for head, rows in tables(said(page.text)) if title in head]
    return rows


def test_a_row_reckons_with_its_own_figures() -> None:
    """What a law in a table takes for a throughput is printed beside it."""
    checked = 0
    for page in chapters():
        for _, rows in tables(page.text):
            for row in rows:
                for column, cell in enumerate(row):
                    others = said(" | ".join(row[:column] + row[column + 1 :]))
                    for roles in re.findall(r"\{law\}`([^`]*)`", cell):
                        for figure in re.findall(r"X=([\d._]+)|\b(\d{4})\b", roles):
                            checked += 1
                            assert "".join(figure).replace("_", ",") in others, row
    assert checked > 30


def test_the_first_sources_table_is_as_printed() -> None:
    rows = table_of("many-cores", "S1, 4 cores: requests per second")
    assert [row[:2] for row in rows] == S1
    assert [row[:2] for row in table_of("watching", "S1: cores at work")] == S1
    for users, rate, response, *_ in rows:
        response_ms = 1000 * laws.response_time(N=int(users), X=float(rate))
        assert math.isclose(float(re.findall(r"\d+", response)[0]), response_ms, rel_tol=0.02)


@pytest.mark.parametrize("slug", ["watching", "a-small-file"])
def test_the_trees_of_the_third_source_are_divided_rightly(slug: str) -> None:
    rows = {plain(row[0]): row[1:3] for row in table_of(slug, "S3, 8 cores")}
    assert rows["server: user time"][0] == f"{100 * 123 / (123 + 290):.1f} %"
    for who in ("server", "generator"):
        on_core, on_cpu = (
            next(cells for title, cells in rows.items() if f"{who}: {column}" in title)
            for column in ("OnCore", "OnCPU")
        )
        for busy, part, cores in zip(on_core, on_cpu, (8, 16), strict=True):
            assert math.isclose(
                float(busy.split(",")[0]) / cores, float(part), rel_tol=0.01
            )  # 3 digits


def test_the_four_tests_of_the_fifth_source_are_as_printed() -> None:
    rows = table_of("how-many-workers", "S5: ten requests took")
    assert [row[1:4] for row in rows] == [
        ["2", "1", "1.61"], ["2", "2", "2.67"], ["2", "4", "2.62"], ["4", "4", "2.51"],
    ]  # fmt: skip
    for row, mean_ms in zip(rows, (620, 624, 1162, 1205), strict=True):
        assert row[4].startswith(f"{mean_ms} ms")
        assert row[3] == f"{10 / float(row[5].removesuffix(' s')):.2f}"


def test_the_race_of_the_fourth_source_is_as_printed() -> None:
    assert [row[:3] for row in table_of("a-small-file", "S4: prefork")] == [
        ["1", "2469 (0.405 ms)", "2213 (0.452 ms)"], ["2", "–", "4007"], ["5", "4698", "4483"],
        ["10", "4663 to 4824", "4591"], ["20", "4764", "4654"], ["50", "4641", "–"],
    ]  # fmt: skip


OURS = re.compile(
    r"\b(ours|our (own )?(recording|recorded|machine|cores|server)|one of our|we (got|measured))\b",
    re.IGNORECASE,
)
A_MEASUREMENT = re.compile(r"\d\s*(%|ms\b|µs\b|s\b|seconds|req/s|requests|million|cores' worth)")


def test_our_numbers_come_from_recordings() -> None:
    """Where a sentence speaks of our measurement, or a column is ours, its figures are roles."""
    for page in chapters():
        prose = re.sub(r"```.*?```|<svg.*?</svg>", "", page.text, flags=re.DOTALL)
        for sentence in re.split(r"(?<=[.:?!])\s|\n\n", re.sub(r"^\|.*$", "", prose, flags=re.M)):
            if OURS.search(sentence):
                bare = re.sub(r"\{(measured|law)\}`[^`]*`", "", sentence)
                assert not A_MEASUREMENT.search(bare), f"{page.name}: {sentence}"
        for head, rows in tables(page.text):
            for column, title in enumerate(head):
                if OURS.search(title):
                    assert all(re.match(r"\{measured\}`|\D*$", row[column]) for row in rows), title
            for row in rows:
                if OURS.match(row[0]):
                    assert all(re.match(r"\{measured\}`|\D*$", cell) for cell in row[1:]), row


@pytest.mark.parametrize("page", chapters(), ids=name)
def test_every_number_quoted_is_in_the_recording(page: Page) -> None:
    quoted = re.findall(r"\{measured\}`([^`]+)`", page.text)
    assert "machine" in quoted, "say which machine measured"
    for text in quoted:
        lab, colon, quantity = text.partition(": ")
        found = measured(lab, quantity) if colon else measured(page.slug, text)
        assert isinstance(found, Quantity)
