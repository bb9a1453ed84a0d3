"""The book's pages: whole, in order, linked, and in words that are explained."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from chapters import BOOK, Page, asking, chapters, each_chapter, each_page, pages, tables
from told_settings import COMMANDS, FILES, settings

from labs.exercises import catalogue, proofreading
from labs.exercises.page import read
from labs.recordings import outputs
from labs.site.roles.law_role import worked

pytestmark = pytest.mark.chapters

PARTS = (
    "Predict",
    "Measure",
    "The wrong idea",
    "Explain",
    "Try it yourself",
    "More exercises",
    "In production",
    "Sources",
    "What to remember",
    "Next",
)
CORE = (4, 5)  # exercises that everybody does
REMEMBERED = (3, 5)  # lines that a reader could say aloud
MOST_LINES = 5  # of a cell
HEAD = r"(?m)^\*(\d+) minutes, and \{minutes\}`here` more for all its exercises\.\* "
MOST_WORDS = 1800
LONGER = {"which-limit": 2200}
MOST_BEFORE = 300  # words, until there is something to do
KNOBS = Page(BOOK / "appendix" / "knobs.md").text


@each_chapter
def test_a_chapter_has_all_its_parts_in_order(page: Page) -> None:
    assert tuple(page.sections) == PARTS
    assert re.search(HEAD, page.text[: page.text.index("\n## Predict")])
    assert page.sections["The wrong idea"].strip().startswith("> “")
    own = "".join(re.findall(r"(?m)^# (\d+) ", page.text)) or page.slug
    assert f"(#differ-chapter-{own})" in page.sections["Measure"]
    for said in ("**Where it holds.**", "**Where it breaks.**"):
        assert said in page.sections["Explain"]


# What came out of a lab, or what it stands for: a reader bets first.
OUTCOME = re.compile(r"\{(measured|claim|output)\}|<figure|!\[")


@each_chapter
def test_nothing_measured_stands_before_the_bet(page: Page) -> None:
    assert not OUTCOME.search(page.text[: page.text.index("\n## Explain")])


@each_chapter
def test_a_chapter_opens_with_its_question_and_ends_with_its_answer(page: Page) -> None:
    assert re.search(r"^# .+\n\n> \*\*[^*\n.?!]+\?\*\*\n", page.text, re.MULTILINE)
    lines = re.findall("^- .+", page.sections["What to remember"], re.MULTILINE)
    assert REMEMBERED[0] <= len(lines) <= REMEMBERED[1]
    for line in (each for each in lines if each.startswith("- *“")):  # a fallacy, and the truth
        assert re.match(r"- \*“.+?”\* .*(\{\w+\}`|\d)", line), line
    assert re.search(r"\{(law|measured)\}`", page.sections["Next"])  # where the thousand stands
    assert "](" in page.sections["Next"]


@pytest.mark.parametrize("page", asking(), ids=lambda page: page.name)
def test_a_chapter_is_read_to_its_end(page: Page) -> None:
    assert page.words <= LONGER.get(page.slug, MOST_WORDS)
    begun = re.split(r"^```\{(?:scene|code-cell)\}", page.text, maxsplit=1, flags=re.MULTILINE)[0]
    assert Page.counted(begun) <= MOST_BEFORE
    core = re.findall(r"^```\{exercise\}", page.sections["Try it yourself"], re.MULTILINE)
    assert CORE[0] <= len(core) <= CORE[1]


@pytest.mark.parametrize("told", ["index.md", "appendix/teachers-guide-?.md"])
def test_minutes_on_the_first_page_and_in_the_guide_are_those_of_the_chapters(told: str) -> None:
    text = "".join(file.read_text("utf-8") for file in BOOK.glob(told))
    for page in asking():
        (minutes,) = re.findall(HEAD, page.text)
        rows = re.findall(rf"\]\((?:\.\./)?{page.name}\.md\) \|.*\| (\d+) \|", text)
        assert rows == [minutes], page.name


@pytest.mark.parametrize("guide", sorted(BOOK.glob("appendix/teachers-guide-?.md")), ids=str)
def test_a_guide_adds_its_minutes_up_and_names_exercises_that_are_there(guide: Path) -> None:
    text = guide.read_text("utf-8")
    table = text.partition("## A plan")[0]
    rows = re.findall(r"^\| \[.*\| (.+?) \| (\d+) \|$", table, re.MULTILINE)
    assert f"{{law}}`{' + '.join(minutes for _, minutes in rows)}`" in table
    known = {question.id for question in catalogue.in_pages()}
    named = [id for asked, _ in rows for id in re.findall(r"\d+\.\d+", asked)]
    assert len(named) >= 2 * len(rows) and set(named) <= known


@pytest.mark.parametrize("guide", sorted(BOOK.glob("appendix/teachers-guide-?.md")), ids=str)
def test_a_guide_marks_two_open_questions_with_a_strong_and_a_weak_answer(guide: Path) -> None:
    text = guide.read_text("utf-8")
    questions = re.split(r"^\*\*Question [A-F]\*\*", text, flags=re.MULTILINE)[1:]
    assert len(questions) == 2
    for each in questions:
        for point in ("limit", "number", "test", "edge"):
            assert each.count(f"\n| {point} | ") == 1
        assert each.count("\n> *Strong, 4 points.* ") == 1
        assert len(re.findall(r"^> \*Weak, [01] points?\.\* ", each, re.MULTILINE)) == 1


@each_page
def test_a_cell_holds_one_idea(page: Page) -> None:
    for cell in page.cells:
        ast.parse(cell.source)
        assert len(cell.source.splitlines()) <= MOST_LINES, cell.source
        assert set(cell.metadata["tags"]) <= {"lab", "hide-input", "remove-output"}


@each_page
def test_proofreading_finds_nothing_in_a_page_s_exercises(page: Page) -> None:
    assert proofreading.complaints(read(page.text)) == []


@pytest.mark.parametrize(("number", "page"), list(enumerate(asking())), ids=str)
def test_a_chapter_asks_all_three_ways(number: int, page: Page) -> None:
    asked = page.exercises
    assert all(question.id.startswith(f"{number}.") for question in asked)
    assert any(question.fixed for question in asked)
    assert any(question.lab == page.slug for question in asked)
    assert any(question.answer is None for question in asked)


def figures(paragraph: str) -> set[float]:
    """The numbers in it, those that a law makes as well."""
    said = re.sub(r"\{law\}`([^`]*)`", lambda role: worked(role[1]), paragraph)
    said = re.sub(r"(?<=\d),(?=\d{3})", "", said)
    return {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", said)}


@each_chapter
def test_an_exercise_is_not_the_chapter_s_own_example(page: Page) -> None:
    """Its numbers, as printed, and its answer don't stand together in a paragraph."""
    rows = [row for row in page.exercises if row.fixed and len(row.given) > 1]
    story = page.sections["Explain"] + page.sections["Sources"]
    told = [figures(each) for each in re.split(r"\n\s*\n", story) if "<svg" not in each]
    again = []
    for row in rows:
        answer = row.numbers()["answer"]
        asked = {choices[0] for choices in row.given.values()}
        for found in told:
            if asked <= found and any(abs(each - answer) < 0.003 * answer for each in found):
                again.append(row.id)
    assert again == [], "give it other numbers first"


def test_terms_are_sorted() -> None:
    glossary = Page(BOOK / "appendix" / "glossary.md").text
    terms = re.findall(r"^(\S.*)\n  \S", glossary, re.MULTILINE)
    assert terms == sorted(set(terms), key=str.lower)


SERVERS = ("Apache", "nginx", "php-fpm", "gunicorn", "uvicorn", "Node", "Tomcat")


def servers(row: list[str]) -> set[str]:
    """Those that the row of a table is about."""
    return {server for server in SERVERS if re.search(rf"\b{server}\b", row[0])}


def test_the_knobs_of_a_chapter_are_among_those_of_all_servers() -> None:
    for page in chapters():
        for _, rows in tables(page.sections["In production"]):
            for row in filter(servers, rows):
                assert "(#knobs-" in page.sections["In production"], page.name
                for knob in re.findall("`([^`]+)`", " ".join(row)):
                    assert f"`{knob}`" in KNOBS, f"{page.name}, {row[0]}: {knob}"


def test_each_table_of_knobs_has_its_servers_in_one_order() -> None:
    found = tables(KNOBS)
    every = [rows for head, rows in found if head[0] == "server"]
    assert len(every) > 6
    for rows in every:
        ours = [servers(row) for row in rows if servers(row)]
        order = [min(map(SERVERS.index, row)) for row in ours]
        assert order == sorted(order)
        assert set(SERVERS) - {"php-fpm"} <= set().union(*map(servers, rows))


NO_NUMBER = set(  # where things lie, who may ask, what is logged
    "LogLevel ServerRoot DefaultRuntimeDir PidFile Mutex Listen ServerName ErrorLog DocumentRoot "
    "Require tcp_nodelay error_log default_type daemon master_process pid client_body_temp_path "
    "proxy_temp_path fastcgi_temp_path uwsgi_temp_path scgi_temp_path return root add_header "
    "fastcgi_pass fastcgi_param php_admin_value[max_execution_time] catch_workers_output log_level "
    "daemonize listen.mode listen_addresses unix_socket_directories logging_collector timezone "
    "log_timezone --bind --worker-class --workers --threads --config --no-control-socket --fd "
    "--lifespan --ws --no-proxy-headers --no-use-colors".split()
)


@pytest.mark.parametrize("program", [*FILES, "PostgreSQL", *COMMANDS])
def test_knobs_page_tells_each_setting_as_it_is_set(program: str) -> None:
    section = KNOBS.split(f"\n**{program}", 1)[1].split("\n\n**")[0]
    told = dict(re.findall(r"^\| `(.+?)` \| (.*?) \|", section, re.MULTILINE))
    ours = {n: value for n, value in settings(program).items() if n not in NO_NUMBER}
    assert told.keys() == ours.keys() - ({"listen"} if program == "php-fpm" else set())
    for name, value in told.items():
        assert value == ours[name] or "@" in ours[name], name


def test_every_output_is_read_somewhere() -> None:
    kept = sorted(file.stem for file in outputs.folder().iterdir())
    shown = re.findall(r"^```\{output\} (\S+)$", "".join(page.text for page in pages()), re.M)
    assert sorted(shown) == kept


def test_drawings_have_ids_and_the_page_s_colours() -> None:
    ids: Counter[str] = Counter()
    drawings = [
        svg for page in pages() for svg in re.findall(r"<svg.*?</svg>", page.text, re.DOTALL)
    ]
    assert len(drawings) >= 3
    for svg in drawings:
        title, words = re.search(r'role="img" aria-labelledby="(\S+) (\S+)"', svg).groups()  # type: ignore[union-attr]
        assert "currentColor" in svg and not re.search(r"#[0-9a-f]{3}|rgb|black|white", svg)
        ids.update((title, words))
    assert max(ids.values()) == 1


def test_pages_are_spelt_in_british() -> None:
    american = r"\b(color|behavior|center|favorite|analyze|utilization|program(me)d?s? off)\b"
    for page in pages():
        assert not re.search(american, page.prose, re.IGNORECASE), page.name


def test_no_page_is_forgotten() -> None:
    folders = (BOOK, *BOOK.glob("[0-9]-*"), BOOK / "appendix")
    written = {file for folder in folders for file in folder.glob("*.md")}
    assert written == {page.path for page in pages()}
