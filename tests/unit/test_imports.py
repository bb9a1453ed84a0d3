"""Load tests by other programs: levels as the server saw them, and what the laws say of them."""

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example
from hypothesis import given as examples
from hypothesis import strategies as st
from test_ruined_imports import whole

import labs
from labs.__main__ import main
from labs.imports.figure import figure
from labs.imports.laws import Course, Given, given, sentences
from labs.imports.level import Level, LoadTest, Moment, steps
from labs.imports.reading import read
from labs.records.errors import Unusable

FOLDER = Path(__file__).parent.parent / "load_tests"
TRUTH: dict[str, Any] = json.loads((FOLDER / "truth.json").read_text("utf-8"))
COUNTED = 0.01  # relative: how near levels are to what the server counted
TIMED = 0.03  # relative: the client's time has its own delay in it
LATER = ("wrk2.txt",)  # times from when a request was due, in a later part of the run


def placed(name: str, folder: Path) -> str:
    """That file as its program wrote it."""
    (folder / name).write_text(whole(name), "utf-8")
    return str(folder / name)


def level(users: int | None, rps: float, mean_s: float | None, **more: Any) -> Level:
    seconds = more.pop("seconds", 30.0)
    more = {"failed": 0, "completed": round(rps * seconds), **more}
    return Level(users=users, seconds=seconds, mean_response_time_s=mean_s, **more)


def said(*levels: Level, at_a_rate: bool = False, **known: Any) -> str:
    test = LoadTest(tool="ab", levels=levels, at_a_rate=at_a_rate)
    return "\n".join(sentences(test, given(**known))).replace("\u00a0", " ")


PLATEAU = [level(4, 40, 0.1), level(16, 80, 0.2), level(32, 80, 0.4)]
LONE = [level(1, 50, 0.02), level(2, 50, 0.04), level(4, 50, 0.08)]


@pytest.mark.parametrize("name", TRUTH)
def test_read_finds_the_levels_that_the_server_saw(name: str, tmp_path: Path) -> None:
    found, seen = read([placed(name, tmp_path)]).levels, TRUTH[name]["levels"]
    assert len(found) == len(seen)
    for mine, theirs in zip(found, seen, strict=True):
        if mine.users and not name.startswith("wrk"):  # which also asks once before
            assert mine.users == theirs["users"]
        ended = theirs["completed"] + theirs["failed"]
        assert mine.ended_rps == pytest.approx(ended / theirs["seconds"], rel=COUNTED)
        failed = theirs["failed"] / ended
        assert mine.failed / (mine.completed + mine.failed) == pytest.approx(failed, abs=COUNTED)
        if len(seen) == 1:  # the very same requests
            assert mine.completed == pytest.approx(theirs["completed"], rel=COUNTED)
        if name not in LATER:
            mean_s = theirs["mean_response_time_s"]
            assert mine.mean_response_time_s == pytest.approx(mean_s, rel=TIMED)


def test_read_refuses_files_of_two_programs() -> None:
    with pytest.raises(Unusable, match=r"by ab and wrk\. Import one program's at a time"):
        read([str(FOLDER / "ab-2.txt"), str(FOLDER / "wrk-4.txt")])


def test_read_refuses_what_is_no_file_s_name() -> None:
    with pytest.raises(Unusable, match="no file's name"):
        read([["ab-2.txt"]])  # type: ignore[list-item]


def test_ab_counts_no_other_length_as_a_failure(tmp_path: Path) -> None:
    text = (FOLDER / "ab-4.txt").read_text("utf-8")
    kinds = "Failed requests:        9\n   (Connect: 0, Receive: 2, Length: 6, Exceptions: 1)"
    (tmp_path / "ab.txt").write_text(re.sub(r"Failed requests: +0", kinds, text))
    (only,) = read([str(tmp_path / "ab.txt")]).levels
    assert (only.completed, only.failed, only.unlike) == (157, 3, 6)
    (tmp_path / "ab.txt").write_text(re.sub(r"(Failed requests: +)0", r"\g<1>9", text))
    (only,) = read([str(tmp_path / "ab.txt")]).levels
    assert (only.completed, only.failed) == (151, 9)
    more = re.sub(r"Failed requests: +0", kinds + "\nNon-2xx responses:      4", text)
    (tmp_path / "ab.txt").write_text(more)
    (only,) = read([str(tmp_path / "ab.txt")]).levels
    assert (only.completed, only.failed, only.unlike) == (153, 7, 2)


@pytest.mark.parametrize(
    ("file", "other", "users", "seconds", "mean_s"),
    [
        ("wrk-8.txt", (r"\d+ threads and 8", "3 threads and 8"), 6, 6.0, 0.1006),
        ("autocannon-8.json", (r'"totalCount":\d+', '"totalCount":9999'), 8, 10, None),
        ("autocannon-8.json", (r'"duration":[\d.]+', '"duration":9.7'), 8, 9.7, 0.1025),
    ],
)
def test_read_minds_how_many_asked_and_for_how_long(
    file: str,
    other: tuple[str, str],
    users: int,
    seconds: float,
    mean_s: float | None,
    tmp_path: Path,
) -> None:
    changed = tmp_path / file
    changed.write_text(re.sub(*other, (FOLDER / file).read_text("utf-8")))
    (only,) = read([str(changed)]).levels
    assert only.users == users and only.seconds == pytest.approx(seconds, rel=0.01)
    assert only.mean_response_time_s == (mean_s and pytest.approx(mean_s, rel=0.01))


@pytest.mark.parametrize("between", [";", "\t"])
def test_a_jmeter_file_may_have_another_sign_between_its_cells(
    between: str, tmp_path: Path
) -> None:
    usual = gzip.decompress((FOLDER / "jmeter.jtl.gz").read_bytes()).decode()
    for name, text in (("usual.jtl", usual), ("other.jtl", usual.replace(",", between))):
        (tmp_path / name).write_text(text)
    usual_levels, other_levels = (
        read([str(tmp_path / name)]).levels for name in ("usual.jtl", "other.jtl")
    )
    assert usual_levels == other_levels


def test_wrk_knows_no_mean_where_answers_came_too_late(tmp_path: Path) -> None:
    text = (FOLDER / "wrk-4.txt").read_text("utf-8")
    errors = "  Socket errors: connect 0, read 3, write 0, timeout 2\n"
    (tmp_path / "wrk.txt").write_text(text.replace("  Non-2xx", f"{errors}  Non-2xx"))
    (only,) = read([str(tmp_path / "wrk.txt")]).levels
    (whole,) = read([str(FOLDER / "wrk-4.txt")]).levels
    assert only.mean_response_time_s is None
    assert (only.completed, only.failed) == (whole.completed, whole.failed + 3)


def test_laws_find_pool_and_pause_of_a_recorded_locust_test() -> None:
    test = read([str(FOLDER / "locust_stats_history.csv")])
    text = "\n".join(sentences(test, given(workers=8, cores=2, cpu_ms=1))).replace("\u00a0", " ")
    assert re.search(r"the pause, comes to 10\d ms at every level", text)
    assert "8 workers" in text and "so the pool is full" in text
    assert "so the cores are not the limit" in text


@example(wait_s=2.0, pause_s=0.0625, places=1, factors=(0.1, 0.3, 3, 6))
@examples(
    wait_s=st.floats(0.005, 2),
    pause_s=st.floats(0, 3),
    places=st.integers(1, 50),
    factors=st.sampled_from(((0.1, 0.3, 3, 6), (0.1, 0.4), (0.1, 2))),
)
def test_laws_find_knee_pause_and_places_of_an_ideal_pool(
    wait_s: float, pause_s: float, places: int, factors: tuple[float, ...]
) -> None:
    top = places / wait_s
    knee = top * (wait_s + pause_s)
    levels = []
    for users in sorted({max(1, round(knee * factor)) for factor in factors}):
        rps = min(users / (wait_s + pause_s), top)
        levels.append(level(users, rps, users / rps - pause_s, seconds=1e6))
    test = LoadTest(tool="ab", levels=tuple(levels))
    found, text = Course(test), "\n".join(sentences(test, Given(workers=places)))
    assert not re.search(r"\b(None|nan|inf)\b", text)
    if found.pause_s and found.one_pause:
        assert found.pause_s == pytest.approx(pause_s, rel=0.01)
    if found.begins_below:
        assert found.plateau_rps == pytest.approx(top, rel=0.05)  # of levels as near as that
        assert "the pool is full" in text
    if levels[-1].users < knee:
        assert found.plateau_rps is None and "pool" not in text
    elif len(levels) == 4 and levels[0].users < knee / 2:
        assert found.begins_below


@pytest.mark.parametrize(
    ("levels", "known", "sentence"),
    [
        ([level(4, 40, 0.1)], {}, "Every user was waiting for an answer nearly all the time"),
        ([level(4, 40, 0.1)], {}, "One number of users can't tell the server's limit"),
        ([level(4, 8, 0.1)], {}, "the pause, comes to 400 ms if all were answered"),
        ([level(4, 60, 0.1)], {}, "more than there are users, so the rest of the laws can't be"),
        ([level(4, 8, 0.1), level(8, 9, 0.1)], {}, "no one pause"),
        ([level(4, 0.8, 0.1), level(8, 1.6, 0.1)], {}, "A round takes 5 s whatever the number"),
        ([level(4, 40, 0.1), level(8, 79, 0.1)], {}, "so the number of users was the limit"),
        ([level(4, 40, 0.1), level(8, 79, 0.1)], {}, "after 40 req/s for 4 users: no plateau yet"),
        ([level(4, 40, 0.1), level(8, 41, 0.195)], {}, "the knee lies below 4 users"),
        ([level(4, 40, 0.1), level(16, 80, 0.2), level(32, 60, 0.53)], {}, "X has fallen to 60"),
        (PLATEAU, {"cores": 4, "cpu_ms": 50}, "so the cores are the limit"),
        (PLATEAU, {"cores": 4, "cpu_ms": 90}, "which can't be"),
        (PLATEAU, {"cores": 4}, "4 cores would be full if a request took c/X = 50 ms"),
        (PLATEAU, {"cpu_ms": 50}, "X·D = 4 cores were busy with it"),
        (PLATEAU, {"workers": 4}, "more than they can hold"),
        ([level(4, 40, 0.1), level(8, 41, 0.195)], {"workers": 4}, "a level without a queue"),
        ([level(4, 40, 0.1), level(8, 79, 0.1)], {"cores": 4}, "says nothing here"),
        (PLATEAU, {"workers": 20}, "so they are not the limit"),
        (LONE, {"workers": 1}, "Of 1 worker, X·R = 1 were taken, so the pool is full"),
        (
            [level(4, 70, 0.057), level(8, 100, 0.08), level(16, 100, 0.16)],
            *({}, "of which 4 users had 70 %: the knee lies near"),
        ),
        ([level(8, 200, 0.04), level(10, 150, 0.066)], {}, "for 8 users: too few users more"),
        (
            [level(25, 24.5, 0.02), level(100, 50, 1.0), level(1000, 50, 19.7)],
            *({}, "N/X − R, the pause, comes to 999 ms at every level"),
        ),
        (
            [level(10, 10, 0.1), level(20, 20, 0.2), level(40, 40, 0.4)],
            *({}, "N/T = 40 req/s at most. It reached 100 % of that"),
        ),
        ([level(100, 4, 2.5, seconds=10)], {}, "100 users had 40 answers in 10 s"),
        ([level(4, 40, None)], {}, "can't be told for 1 of 1 levels"),
        ([level(4, 40, 0.0)], {}, "can't be told for 1 of 1 levels"),
        ([level(None, 40, 0.1)], {}, "doesn't say how many users there were: X·R says that 4"),
        ([level(4, 38, 0.1, failed=60)], {}, "60 of 1,200 requests failed (5 %)"),
        ([level(4, 38, 0.1), level(8, 9, 0.1, failed=900)], {}, "In 1 of 2 levels more than 1 %"),
        ([level(4, 38, 0.1), level(8, 9, 0.1, failed=900)], {}, "comes to 3.8 of 4 users."),
        ([level(4, 40, 0.1, unlike=53)], {}, "53 answers had another length than the first, which"),
        ([level(4, 40, 0.1)], {}, "are of a closed load"),
    ],
)  # fmt: skip
def test_sentences_say(levels: list[Level], known: dict[str, Any], sentence: str) -> None:
    assert sentence in said(*levels, **known)


def test_sentences_of_a_rate_are_of_an_open_load() -> None:
    text = said(level(None, 40, 0.1), at_a_rate=True)
    assert "asks at a rate" in text and "open load" in text and "closed" not in text


def test_timer_needs_two_numbers_of_users() -> None:
    assert "timer" not in said(level(5, 1, 0.1), level(6, 1.2, 0.1))


def test_steps_drop_the_start_of_a_level_and_what_is_short() -> None:
    def moments(users: int, begin: int, length: int, per_s: int) -> list[Moment]:
        return [Moment(begin + at, users, begin * 100 + at * per_s, 0, at * per_s * 0.5)
                for at in range(length)]  # fmt: skip

    (only,) = steps([*moments(4, 0, 5, 7), *moments(8, 10, 21, 10)])
    assert (only.users, only.seconds, only.completed) == (8, 16.0, 160)
    assert only.mean_response_time_s == pytest.approx(0.5)


@pytest.mark.parametrize("name", TRUTH)
def test_figure_is_plain_json(name: str, tmp_path: Path) -> None:
    known = Given(cores=2, workers=4, cpu_s=0.01)
    json.dumps(figure(read([placed(name, tmp_path)]), known), allow_nan=False)


def test_figure_draws_no_gap_for_unknown_users() -> None:
    test = LoadTest(tool="hey", levels=(level(None, 40, 0.1), level(4, 40, 0.2)))
    data = figure(test, Given())["data"]
    assert all(math.isclose(a, b) for a, b in zip(data[0]["x"], (4, 8), strict=True))


def test_load_test_joins_files_of_one_program_and_says_what_the_laws_say() -> None:
    shown = labs.load_test(*[str(FOLDER / f"ab-{users}.txt") for users in (16, 2, 8, 4)], workers=8)
    assert list(shown.data[0].x) == [2, 4, 8, 16]
    assert any("the pool is full" in each for each in shown.layout.meta["sentences"])
    with pytest.raises(Unusable, match="workers=0"):
        labs.load_test(str(FOLDER / "ab-2.txt"), workers=0)


def test_import_writes_json_and_a_page_that_needs_no_other(tmp_path: Path, capsys: Any) -> None:
    out, page = tmp_path / "out.json", tmp_path / "report.html"
    command = ["import", *(str(FOLDER / f"wrk-{users}.txt") for users in (4, 8))]
    assert main([*command, "--json", str(out), "-o", str(page)]) == 0
    printed, written = capsys.readouterr().out, json.loads(out.read_text("utf-8"))
    assert written["tool"] == "wrk" and len(written["levels"]) == 2
    assert set(written["levels"][0]) == {
        "users", "seconds", "completed", "failed", "throughput_rps", "mean_response_time_s",
    }  # fmt: skip
    assert all(each in printed for each in written["sentences"])
    text = page.read_text("utf-8")
    own = text.replace(max(re.findall(r"<script>(.*?)</script>", text, re.DOTALL), key=len), "")
    assert "Plotly.newPlot" in own and "default-src" in own
    assert not re.search(r"(src|href)=|https?:", own)
    assert all(each in own for each in ("closed load", "<table>"))


@pytest.mark.parametrize(
    "given_", [["--cores", "0"], ["--workers", "x"], ["--cpu-ms", "-1"], ["-o", "page.txt"]]
)
def test_import_refuses_what_no_server_has(given_: list[str], capsys: Any) -> None:
    assert main(["import", str(FOLDER / "ab-2.txt"), *given_]) == 2
    assert given_[0].lstrip("-")[:3] in capsys.readouterr().err
