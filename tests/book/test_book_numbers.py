"""The numbers in the book: recorded where they are ours, and true by the laws it teaches."""

import ast
import functools
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from chapters import Page, chapters, pages, tables

from labs.kinds.clocks.record import Clocks
from labs.kinds.registry import showing
from labs.kinds.sweep.record import Recording
from labs.present import claims
from labs.present.quantities import Quantity
from labs.recordings import recorder, store
from labs.site.law_role import worked
from labs.site.measured_role import measured
from labs.theory import laws

pytestmark = pytest.mark.chapters

RUNS = 3
FIT = 5 / 6  # of a lab's points, over all its runs

S1 = [["1", "5.04"], ["2", "10.09"], ["3", "15.08"], ["4", "20.23"], ["8", "20.33"]]


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
    r"\b(ours|one of our|we (got|measured|saw|found)|our (own |small |first |last )?"
    r"(recording|recorded|machine|cores?|server|runs?|points?|backend|line|loop|pool|workers?"
    r"|threads?|generator|locust|apache|nginx|two|hundred|figures?|tables?|rows?))\b",
    re.IGNORECASE,
)
A_MEASUREMENT = re.compile(r"\d\s*(%|ms\b|µs\b|s\b|seconds|req/s|requests|million|cores' worth)")


def test_our_numbers_come_from_recordings() -> None:
    """Where a sentence speaks of our measurement, or a column is ours, its figures are roles;
    what it quotes is somebody's saying."""
    for page in chapters():
        prose = claims.ROLE.sub("", page.text)
        prose = re.sub(r"```.*?```|<svg.*?</svg>|“[^”]*”", "", prose, flags=re.DOTALL)
        for sentence in re.split(r"(?<=[.:?!])\s|\n\n", re.sub(r"^\|.*$", "", prose, flags=re.M)):
            if OURS.search(sentence):
                bare = re.sub(r"\{(measured|law)\}`[^`]*`", "", sentence)
                assert not A_MEASUREMENT.search(bare), f"{page.name}: {sentence}"
        for head, rows in tables(page.text):
            for row in rows:
                ours = row[1:] if OURS.match(row[0]) else []
                ours += [cell for title, cell in zip(head, row, strict=False) if OURS.search(title)]
                assert all(re.match(r"\{(measured|claim)\}`|\D*$", cell) for cell in ours), row


@pytest.mark.parametrize("page", chapters(), ids=name)
def test_every_number_quoted_is_in_the_recording(page: Page) -> None:
    quoted = re.findall(r"\{measured\}`([^`]+)`", page.text)
    assert "machine" in quoted, "say which machine measured"
    for text in quoted:
        lab, colon, quantity = text.partition(": ")
        found = measured(lab, quantity) if colon else measured(page.slug, text)
        assert isinstance(found, Quantity)


recording = functools.cache(store.recording)  # a test looks at what it reads
TOLD = re.compile(r"\bunfit\b|hollow|: fit`|the lab's checks|never served|\(fit\(", re.IGNORECASE)


@pytest.mark.parametrize("page", chapters(), ids=name)
def test_a_table_of_points_that_are_not_fit_is_told_to_be_one(page: Page) -> None:
    """In its own words, or in those of the paragraphs beside it."""
    paragraphs = re.split(r"\n\s*\n", page.text)
    for number, table in enumerate(paragraphs):
        if table.startswith("|") and any(unfit(page, role) for role in quoted_points(table)):
            beside = "\n".join(paragraphs[max(0, number - 2) : number + 4])
            assert TOLD.search(beside), table


def quoted_points(text: str) -> Iterator[tuple[str, str, int]]:
    """Lab, part and users of each number of a point: "" for the page's own lab, or no part."""
    role = r"\{measured\}`(?:([\w-]+)(?:/([^:`]+))?: )?\w+\((\d+)[,)]"
    for lab, part, users in re.findall(role, text):
        yield lab, part, int(users)


def unfit(page: Page, point: tuple[str, str, int]) -> bool:
    lab, part, users = point
    found = recording(lab or page.slug)
    if part:
        found = showing(found).part(found, part)
    points = found.points if isinstance(found, Recording) else ()
    return any(each.users == users and not each.fit for each in points)


# Words that say how numbers lie to each other: of a recording they want a {claim}.
JUDGING = re.compile(
    r"\b(\w+fold|times|twice|thrice|half|third|quarter|faster|slower|quicker|cheaper|dearer|higher"
    r"|lower(?! plot)|larger|smaller|(?<!one )more|less|fewer|most|nearly|hardly|fell|falls?|rose"
    r"|rises?|grew|grows?|climbs?|dropped|the same|alike|as (much|many|long|fast|good|well)|no more"
    r"|never|nothing|above|below|agree|flat|stays|stayed|doubled?|halved?|ahead|better|worse|bends?"
    r"|full(?! core)|before|confirm(s|ed)?|lost|loses|only|gain(s|ed)?|changed|nobody|none|nearest"
    r"|(are|is) level|idle|missing|almost|slightly|certainly|too (low|high)|beyond|all but)\b",
    re.IGNORECASE,
)
# The same where a sentence is only near a recording, and may speak of the law.
OF_ONE = re.compile(
    r"\b(\w+fold|twice|thrice|as (much|many|long|fast) as|faster|slower|quicker|cheaper|dearer|fell"
    r"|falls|rose|rises|grew|climbs|dropped|alike|flat|no more than|doubled|halved|ahead|bends"
    r"|gained|confirm(s|ed)?|no (better|worse)|certainly)\b",
    re.IGNORECASE,
)

# Read, and found to say nothing that a recording could deny: by how they begin.
GENERAL = (
    "Two separate cores finish twice",
    "Near 100 %, the page computes",
    "Many processors go to sleep",
    "Ours always do, so at most",
    "The load comes in three steps",
    "A profiler shows a function",
    "Our recording ends at {measured}, so it is",
    "Our server's tree had {measured} processes below",
    "Its conclusion is ours",
    "Ours is a closed load",
    "The dearer a request",
    "Its author adds that",
    "There are no figures with that",
    "S4's Apache began with five",
    "It corrects for coordinated omission",
)


def near_recordings(text: str) -> Iterator[str]:
    """Each sentence of a paragraph that quotes a recording, claims something of it, speaks of ours,
    or follows its table, and the cells of that table: roles by their names, claims as {claim}."""
    directives = r"```\{(code-cell|exercise|hint|law)\}.*?^```$"
    for away in (directives, r"<figure.*?</figure>", r"\$\$.*?\$\$"):
        text = re.sub(away, "", text, flags=re.M | re.S)
    text = claims.ROLE.sub(without_words, re.sub(r"^```.*$", "", text, flags=re.M))
    yield from cells_of_ours(text)
    text = re.sub(r"^- \*“[^”]+”\*", "-", text, flags=re.M)  # a saying that is refuted
    before = ""
    for found in re.split(r"\n\s*\n|\n(?=[-*] )", text):
        paragraph = found.strip()
        if paragraph.startswith("*Measured on"):
            continue
        after_table = before.startswith("|") and "{measured}" in before
        before = paragraph
        if paragraph.startswith(("|", "#")):
            continue
        if of_ours(paragraph) or after_table:
            without_heads = re.sub(r"\*\*[^*]+\*\*", "", by_name(paragraph))
            yield from re.split(r"(?<=[.?!])[)”]*\s", plain(without_heads).strip())


def without_words(claim: re.Match[str]) -> str:
    """A claim by its name; it ends a sentence where its words do."""
    words, _ = claims.split(claim["text"])
    return "{claim}" + "".join(re.findall(r"[.?!]$", words))


def by_name(text: str) -> str:
    return re.sub(r"\{(law|measured)\}`[^`]*`", r"{\1}", text)


def of_ours(text: str) -> bool:
    return bool(re.search(r"\{(measured|claim)\}", text) or OURS.search(text))


def cells_of_ours(text: str) -> Iterator[str]:
    """Those in a row or a column of ours, and all that hold a recorded number."""
    for head, rows in tables(text):
        for row in rows:
            for title, cell in zip(head, row, strict=False):  # the last may be empty
                if of_ours(cell):
                    yield plain(by_name(cell))
                elif OURS.search(title) or OURS.search(row[0]):
                    yield f"Ours: {plain(by_name(cell))}"


def unclaimed(sentence: str) -> bool:
    """Whether it says how recorded numbers lie to each other, and nothing checks it. A claim checks
    its own words, and no others; a number that is quoted is checked; a question says nothing yet,
    nor does a condition that is not of our recording."""
    if sentence.endswith("?") or (sentence.startswith("If ") and not of_ours(sentence)):
        return False
    words = re.sub(r"\{(measured|law)\},? times( (as much|what|the work of))?", "", sentence)
    words = re.sub(r"\b(changed by|climbs to|lost) \{measured\}|“[^”]*”|\{\w+\}", "", words)
    return bool((JUDGING if of_ours(sentence) else OF_ONE).search(words))


def outruns(words: str, claim: str) -> bool:
    """Whether a claim has more clauses that judge than it has comparisons."""
    clauses = re.split(r"[;:,–]| (?:and|but|while|whereas) ", by_name(words))
    return sum(map(unclaimed, (f"Ours: {clause}" for clause in clauses))) > comparisons(claim)


def comparisons(claim: str) -> int:
    """In it: `a < b < c` are two, and the words of a trend or of `within` one."""
    clauses = claim.partition(" with N")[0].split(" and ")
    return sum(max(1, len(claims.ORDER.findall(" ".join(each.split())))) for each in clauses)


def test_no_response_time_is_called_a_wait() -> None:
    """Wait time is wall time less CPU time, so nobody waits a response time."""
    called = re.compile(
        r"\bwait(?:s|ed)? (?:\w+ ){0,2}\{(?:response_|(?:law|measured)\}`[^`]*response_time)"
    )
    assert [page.name for page in pages() if called.search(page.text)] == []


PROSE = [
    page for page in pages() if page in chapters() or page.slug in ("classics", "index")
]  # of pages that tell of recordings


def test_what_prose_says_of_a_recording_is_a_claim() -> None:
    every = [
        (page.name, sentence)
        for page in PROSE
        for sentence in near_recordings(page.text)
        if unclaimed(sentence)
    ]
    assert [each for each in every if not each[1].startswith(GENERAL)] == []
    for start in GENERAL:
        assert any(sentence.startswith(start) for _, sentence in every), f"no longer there: {start}"


@pytest.mark.parametrize(
    ("sentence", "loose"),
    [
        ("It fell fivefold.", True),
        ("Ours did nearly as much.", True),
        ("Ours did {measured}, more than before.", True),
        ("Ours did {measured} times what it did.", False),
        ("It {claim}.", False),
        ("It {claim} and fell.", True),
        ("It {claim}, while the lone user was slower.", True),
        ("It {claim}; so say those who “never fall”.", False),
        ("{claim} What grows is the queue.", True),
        ("If yours fell, look for others.", False),
        ("If you look again, ours fell.", True),
        ("The law makes it {law}, twice as much.", True),
        ("The law makes it {law}.", False),
        ("Our small backend does no better.", True),
        ("Ours was full before the loop.", True),
        ("Burning confirmed it: {measured}.", True),
        ("Throughput changed by {measured}.", False),
        ("A core computes.", False),
    ],
)
def test_a_sentence_without_a_claim_is_found(sentence: str, loose: bool) -> None:
    assert unclaimed(sentence) == loose


TABLE = """
| users | S1 | ours |
|---|---|---|
| 8 | it never fell | {} |
| ours, the last | {} | – |
"""


@pytest.mark.parametrize(
    ("column", "row", "loose"),
    [
        ("{measured}`throughput(8)`", "two", 0),
        ("hardly more than before", "two", 1),
        ("{measured}`throughput(8)`, twice as much", "three times as much", 2),
        ("{claim}`twice as much [throughput(8) > 2 * throughput(1)]`", "–", 0),
        ("{claim}`twice as much [throughput(8) > 2 * throughput(1)]` and faster", "–", 1),
    ],
)
def test_a_cell_without_a_claim_is_found(column: str, row: str, loose: int) -> None:
    found = [*near_recordings(TABLE.format(column, row))]
    assert sum(map(unclaimed, found)) == loose


def test_a_claim_checks_as_much_as_its_words_say() -> None:
    for page in PROSE:
        for words, claim in claims.said(page.text):
            assert not outruns(words, claim), f"{page.name}: {words}"


@pytest.mark.parametrize(
    ("words", "claim", "more"),
    [
        ("It fell fivefold.", "a(8) < a(1) / 5", False),
        ("It fell fivefold, and the users were never faster.", "a(8) < a(1) / 5", True),
        ("It fell, and the users were never faster.", "a(8) < a(1) and b(8) < b(1)", False),
        ("It fell, then rose again:", "a(1) > a(2) < a(3)", False),
        ("Half as much; twice as fast; above it.", "a(N) falls and b(N) rises with N = 1, 2", True),
    ],
)
def test_a_claim_that_says_more_than_it_checks_is_found(words: str, claim: str, more: bool) -> None:
    assert outruns(words, claim) == more
