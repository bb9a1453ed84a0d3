import itertools
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import examples
import msgspec
import pytest
from attachments import UNSEEN, attached
from bs4 import BeautifulSoup
from chapters import judge
from msgspec import structs

from labs.exercises import catalogue, proofreading, words
from labs.exercises.exercise import CLOSE, Exercise, Numbers
from labs.exercises.key import Key, exercise, field, key, keys, measured, slips
from labs.exercises.page import read
from labs.present.quantities import NoSuchNumber
from labs.recordings import store
from labs.records.errors import Unusable
from labs.records.format import percent

SEEDS = (None, "ann", "ben", "cleo", "dora")
EASY: dict[str, Any] = {"kind": "compute", "level": "warm-up", "minutes": 1}
EXERCISES = catalogue.in_pages()
MEASURED: dict[str, Any] = {row.lab: store.recording(row.lab) for row in EXERCISES if row.lab}
asked = pytest.mark.parametrize("row", EXERCISES, ids=lambda row: row.id)


answered = pytest.mark.parametrize(
    "row", [row for row in EXERCISES if row.answer is not None], ids=lambda row: row.id
)


def row_of(id: str) -> Exercise:
    return next(row for row in EXERCISES if row.id == id)


def numbers(row: Exercise, seed: str | None = None) -> Numbers:
    return measured(row, MEASURED[row.lab]) if row.read else row.numbers(seed)


def key_of(id: str, seed: str | None = None) -> Key:
    return key(row_of(id), numbers(row_of(id), seed))


@answered
def test_the_answer_is_right_and_every_slip_is_met_with_a_hint(row: Exercise) -> None:
    for seed in SEEDS:
        known, its = numbers(row, seed), key_of(row.id, seed)
        truth = known["answer"]
        assert judge(its, f"{truth:.9g}") == judge(its, f"{truth:.3g}") == its.right
        for wrong in map(known.of, row.slips):
            if not math.isclose(wrong, truth, rel_tol=row.known(known)):
                assert judge(its, f"{wrong:.9g}").startswith("Not quite.")
        assert judge(its, f"{truth * 1.5:.9g}").startswith("Not")


@asked
def test_all_of_its_words_can_be_said_with_its_numbers(row: Exercise) -> None:
    """Also those of the reader's own run, which the build cannot know."""
    for seed in SEEDS:
        known = numbers(row, seed)
        for text in (row.question, *row.hints, row.solution):
            filled = words.fill(re.sub(r"\{\w+\}`[^`]*`", "", text), known)
            assert "{" not in words.plain(filled)


@pytest.mark.parametrize(
    ("id", "typed", "words"),
    [
        ("1.1", "100", "Right: 100 ms"),
        ("1.2", "0.25", "Right: 0.25."),
        ("1.2", "25", "percentage"),
        ("2.1", "40", "Right: 40 req/s"),
        ("2.1", "0.04", "Milliseconds for seconds"),
        ("2.1", "0.025", "Upside down"),
        ("2.2", "0.15", "in seconds; this asks for milliseconds"),
        ("6.3", "480", "difference of two single requests"),
        ("6.3", "55.9", "first mean alone"),
    ],
)
def test_a_key_has_what_is_said_to_an_answer(id: str, typed: str, words: str) -> None:
    assert words in judge(key_of(id), typed)


@pytest.mark.parametrize("id", ["2.3", "4.8"])  # a sum, and a forecast
def test_the_tolerance_of_an_own_answer_follows_the_interval_or_the_band(id: str) -> None:
    found = examples.by_law(examples.EXPERIMENT)
    point, level = found.points[-1], found.run.forecast.levels[-1]
    low, high = point.throughput_ci_rps if id == "2.3" else level.band_rps or (0, 0)
    its, known = key(row_of(id), measured(row_of(id), found)), (high - low) / 2 / level.model_rps
    for right, off in ((True, 0.9 * known), (False, 1.1 * known)):
        assert (judge(its, f"{its.answer * (1 + off):.9g}") == its.right) == right
    how = "Your measurement knows it to" if id == "2.3" else "The forecast's band is"
    assert f"{how} ±\u00a0{percent(known)}." in its.right


def test_what_is_known_badly_is_not_the_excuse_of_every_answer() -> None:
    """1.7 cores, in an interval of 18 %: 2 was taken for right."""
    row = row_of("2.3")
    intervals = (0.001, 0.05, 0.18, 0.45)
    known = [row.known(Numbers({"interval": each}, {}, {})) for each in intervals]
    assert known == [CLOSE, 0.05, 0.10, 0.10]


def test_an_own_answer_may_be_rounded_to_two_digits() -> None:
    its = key_of("3.4")
    assert judge(its, f"{its.answer:.2g}") == its.right != judge(its, f"{its.answer * 1.15:.9g}")


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("9.9", r"^id='9\.9': choose one of 9\.1, [0-9., ]+ 9\.8\.$"),
        ("9.1 ", r"^id='9\.1 ': choose one of 9\.1, "),
        ("99.9", r"^id='99\.9': choose one of 0\.1, "),
        (2.10, r'^id=2\.1: .* Name an exercise in quotes, such as "3\.1"\.$'),
        ([], r"^id=\[\]: .* Name an exercise in quotes"),
    ],
)
def test_exercise_names_the_ids_there_are(id: Any, said: str) -> None:
    with pytest.raises(Unusable, match=said):
        exercise(id)


@asked
def test_exercise_asks_with_the_numbers_of_its_seed_and_has_the_key_of_the_field(
    row: Exercise,
) -> None:
    for seed in ("", "<ann>"):
        known = row.numbers(seed or None)
        shown = BeautifulSoup(exercise(row.id, seed=seed)._repr_html_(), "html.parser")
        said, *_ = words.plain(words.fill(row.question, known)).split("\n")
        assert f"{row.id} {row.effort}. {said}" in shown.get_text()
        assert len(shown.select("details.hint")) == len(row.hints)
        places = shown.select(".wt-asked")
        assert len(places) == (row.answer is not None)
        for place in places:
            assert (place["data-exercise"], place["data-seed"]) == (row.id, seed)
            its = json.loads(place.script.string)
            assert its == row.lab if row.read else its["answer"] == known["answer"]


def test_a_right_answer_to_a_seed_brings_the_solution() -> None:
    row, answer = row_of("3.1"), row_of("3.1").numbers("ann")["answer"]
    assert f"Right: {answer:.0f} req/s. " in field(row, "ann")
    assert f"= {answer:.0f} requests per second." in field(row, "ann")
    assert "requests per second" not in field(row)  # it stands below, on the page
    assert len({field(row, name) for name in "abcdefgh"}) > 1


def test_given_numbers_stand_as_they_are_and_others_are_rounded() -> None:
    given = {"users": 1024.0, "wait_s": 0.12345, "many": 1234567.0}
    text = "{users} users, {wait_s} s, {many} bytes"
    chosen = Exercise(id="x", **EASY, given={name: (value,) for name, value in given.items()})
    own = Exercise(id="y", **EASY, lab="x", read=("of_last",))
    assert words.fill(text, chosen.numbers()) == "1024 users, 0.12345 s, 1234567 bytes"
    assert words.fill(text, own.numbers(None, given)) == "1024 users, 0.123 s, 1234567 bytes"


# the words


FENCE = "```"
PAGE = f"""# 3 · A page, of 2026

{FENCE}{{exercise}} 3.1 · Sixteen users, at 16
---
kind: compute
level: warm-up
minutes: 1
given:
  cores: [4, 2]
  cpu_ms: [50, 20]
answer: cores / cpu_s
also:
  part: 1 / cores
slips:
  cores: That is the {{cores}} cores.
---
{{cores}} cores (S1) need {{cpu_ms:.1f}} ms a request.

1. In exercise 3.1 and [chapter 6](six.md#16), by `Load([8])`.
{FENCE}

{FENCE}{{hint}} 3.1
{{cores:Words}} cores; {{part:part}} of them.
{FENCE}

{FENCE}{{solution}} 3.1
$X = c/D$ = {{cores}} / {{cpu_s}} = **{{answer}}**, $\\frac{{1}}{{D}}$, 10 {{term}}`more <64>`.
{FENCE}

{FENCE}{{exercise}} 3.2 · Break it
---
kind: proof
level: hard
minutes: 9
lab: many-cores
read: [of_last]
also: {{due: 50}}
---
Ask {{users|many}} users.
{FENCE}

{FENCE}{{hint}} 3.2
Which?
{FENCE}

{FENCE}{{solution}} 3.2
All. Ours did {{measured}}`throughput(8)`.
{FENCE}
"""


def test_read_gives_the_exercises_of_a_page_with_their_words() -> None:
    found = read(PAGE, "1-cpu-time/many-cores")
    assert proofreading.complaints(found) == []
    one, two = found.exercises
    assert (one.id, one.title, one.page) == (
        *("3.1", "Sixteen users, at 16", "1-cpu-time/many-cores"),
    )
    assert (two.kind, two.read, two.also) == ("proof", ("of_last",), {"due": 50})
    said = [words.fill(text, one.numbers()) for text in (one.question, *one.hints, one.solution)]
    assert said[0].startswith("4 cores (S1) need 50.0 ms a request.")
    assert said[1] == "Four cores; a quarter of them."
    assert words.plain(said[2]) == "X = c/D = 4 / 0.05 = 80, 1/D, 10 more."
    assert words.plain("$\\sqrt{(a^2 + b^2)/c}$") == "√((a^2 + b^2)/c)"
    assert words.fill("{users|many} users", two.numbers()) == "many users"
    assert words.fill("{users|many} users", two.numbers(None, {"users": 7})) == "7 users"


@pytest.mark.parametrize(
    ("words_", "others", "line", "complaint"),
    [
        ("{cores} cores (S1)", "{cors} cores (S1)", 17, "3.1: cors: no such number. Choose one of"),
        ("{cores} cores (S1)", "Cores", 3, "3.1: the question does not say {cores}."),
        ("{cores:Words} cores", "{cores:nouns}", 23, "3.1: Invalid format specifier"),
        ("{cores:Words} cores", "{measured}`cores`", 22, "3.1: {measured} cannot be said"),
        ("{cores:Words} cores", "$\\alpha$", 22, "3.1: \\alpha cannot be said"),
        ("**{answer}**", "so", 3, "3.1: the solution does not say {answer}."),
        (
            *("{users|many}", "{users}", 39),
            "3.2: users: no such number. Choose one of due. Of a lab's number say",
        ),
        ("{exercise} 3.2", "{exercise} 3.1", 30, "3.1: stands on this page already."),
        ("{exercise} 3.2", "{exercise} the last", 30, "the last: no id."),
        ("{hint} 3.2", "{hint} 3.4", 42, "3.4: no exercise of this page has that id."),
        ("{hint} 3.2", "{hint} 3.4", 30, "3.2: has no hint."),
        ("{hint} 3.2", "{solution} 3.2", 30, "3.2: has more than one solution."),
        ("cores / cpu_s", "cores / cpu", 3, "3.1: cpu: no such number."),
        ("cores / cpu_s", "cores /", 3, "3.1: cores /: not an expression"),
        ("  cores: That", "  rows: That", 3, "3.1: rows: no such number."),
        ("[of_last]", "[of_least]", 30, "3.2: reads of_least of a lab."),
        ("lab: many-cores\n", "", 30, "3.2: reads of_last of a lab."),
        ("warm-up", "easy", 3, "3.1: Invalid enum value 'easy'"),
        ("minutes: 9", "minuets: 9", 30, "3.2: Object contains unknown field `minuets`"),
        ("also: {due: 50}", "also: {due", 30, "3.2: its options are no YAML"),
    ],
)
def test_complaints_say_what_is_wrong_with_its_line(
    words_: str, others: str, line: int, complaint: str
) -> None:
    assert words_ in PAGE
    told = proofreading.complaints(read(PAGE.replace(words_, others)))
    assert [at for at, sentence in told if sentence.startswith(complaint)][:1] == [line], told


def test_exercises_are_read_from_the_file_that_the_build_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / catalogue.NAME
    file.write_bytes(msgspec.json.encode(EXERCISES))
    monkeypatch.setattr(catalogue, "BUILT", file)
    catalogue.exercises.cache_clear()
    assert catalogue.exercises() == EXERCISES
    catalogue.exercises.cache_clear()


def test_keys_have_what_a_lab_has_measured_for_the_exercises_that_ask_about_it() -> None:
    found = keys("many-cores", MEASURED["many-cores"])
    assert set(found) == {row.id for row in EXERCISES if row.lab == "many-cores" and row.answer}
    assert found["3.4"] == key_of("3.4")
    assert found["3.4"].rounded == float(f"{found['3.4'].answer:.2g}")
    assert keys("a lab of somebody's own", examples.recording()) == {}
    unseen = attached(lambda users: min(users, 4) / 0.1, alone_s=0.1, found=UNSEEN)
    assert set(keys("your-own-server", unseen)) == {"17.2"}  # 17.3 asks for its CPU time


def every(row: Exercise) -> Iterator[Numbers]:
    """The numbers that any seed may draw."""
    for chosen in itertools.product(*row.given.values()):
        one = {name: (value,) for name, value in zip(row.given, chosen, strict=True)}
        yield structs.replace(row, given=one).numbers()


@pytest.mark.parametrize("row", [row for row in EXERCISES if row.fixed], ids=lambda row: row.id)
def test_no_seed_makes_a_slip_right_or_a_hint_unfit(row: Exercise) -> None:
    for known in every(row):
        truth, close = known["answer"], row.known(known)
        assert math.isfinite(truth) and truth > 0, known
        for wrong, hint in slips(row, known):
            assert math.isfinite(wrong), (hint, known)
            assert not math.isclose(wrong, truth, rel_tol=close), (hint, known)


def test_no_two_exercises_of_a_page_share_their_numbers() -> None:
    """As printed; those that a lab gives belong to the lab."""
    printed = [
        (row, {name: choices[0] for name, choices in row.given.items()})
        for row in EXERCISES
        if row.given and not row.read
    ]
    for (one, these), (other, those) in itertools.combinations(printed, 2):
        if one.page == other.page:
            assert not these.items() & those.items(), f"{one.id} and {other.id}: {these}, {those}"
            shared = {*these.values()} & {*those.values()}
            assert len(shared) <= 1, f"{one.id} and {other.id} share {shared}"
            assert shared not in ({*these.values()}, {*those.values()}), (one.id, other.id)


def test_what_is_known_in_one_unit_of_time_is_known_in_the_other() -> None:
    row = Exercise(id="x", **EASY, given={"wait_ms": (200,)}, also={"held_s": "wait_s + 0.1"})
    assert (row.numbers()["wait_s"], row.numbers()["held_ms"]) == pytest.approx((0.2, 300))
    with pytest.raises(NoSuchNumber, match="cpu_ms: no such number"):
        row.numbers()["cpu_ms"]


def test_a_formula_may_only_ask_for_numbers_there_are() -> None:
    row = Exercise(id="x", **EASY, answer="users", also={"due": 1})
    with pytest.raises(NoSuchNumber, match=r"users: no such number\. Choose one of due, an"):
        row.numbers()["answer"]
    with pytest.raises(Unusable, match="neither a law nor a number"):
        row.numbers().of("due.real")
