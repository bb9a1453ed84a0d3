"""Files that somebody else wrote: refused in a sentence, or shown as the text that they hold."""

import contextlib
import json
import os
import re
import resource
import sys
from collections.abc import Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from waiting import in_time

from bench import ruined
from labs import progress_log
from labs.host import files
from labs.panel.progress import ProgressPanel
from labs.recordings import replay, store
from labs.recordings.pages import Chapter
from labs.records.errors import BadRecording, Unusable

WITHIN_S = 20.0
SCRIPT = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'
DEEP = b'{"schema":1,"kind":"sweep","machine":' + b"[" * 200_000
RUINED = {
    "empty": b"",
    "deep": DEEP,
    "deep at once": b"[" * 10**6,
    "NaN": b'{"schema": NaN}',
    "no UTF-8": b'{"schema": "\xff\xfe"}',
    "half a character": b'{"kind": "\\ud800", "schema": 1}',
    "another kind": b'{"kind": "../../os", "schema": %d}' % store.SCHEMA,
    "beyond all numbers": b'{"kind": "sweep", "schema": 1e999}',
}


@pytest.mark.parametrize("content", RUINED.values(), ids=RUINED)
def test_a_ruined_recording_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "2-cores.json"
    file.write_bytes(content)
    with pytest.raises(BadRecording, match=r"2-cores\.json: .*make record"):
        in_time(lambda: store.read(file), WITHIN_S)


@pytest.mark.parametrize("put", [os.mkfifo, Path.mkdir, lambda it: it.symlink_to("/dev/zero")])
def test_what_is_no_ordinary_file_is_not_read(
    tmp_path: Path, put: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe would make the reader wait for ever, and a device never ends."""
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path))
    (tmp_path / "mine").mkdir()
    put(tmp_path / "mine/2-cores.json")
    with pytest.raises(BadRecording, match="cannot be read"):
        in_time(lambda: store.recording("mine"), WITHIN_S)


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "2-cores.json"
    with file.open("wb") as huge:
        huge.truncate(1 << 40)
    with pytest.raises(BadRecording, match=r"cannot be read \(it holds more than 64 MiB\)"):
        in_time(lambda: store.read(file), WITHIN_S)
    monkeypatch.setattr(files, "MOST_BYTES", 8)
    file.write_bytes(b"12345678")
    assert files.read_whole(file, 8) == b"12345678"
    with pytest.raises(OSError, match="holds more"):
        files.read_whole(file, 7)


class Tags(HTMLParser):
    """What a browser would make of a page: its elements, and their attributes' names."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _ in attrs}


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts in that JSON are."""
    if isinstance(data, str):
        yield path
    elif isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(value, (*path, key))


def hostile(data: Any, path: tuple[Any, ...]) -> None:
    """Put a script there."""
    *way, last = path
    for key in way:
        data = data[key]
    data[last] = SCRIPT


@pytest.mark.parametrize("lab", ["many-cores", "which-limit", "a-shared-counter"])
def test_a_recordings_words_are_shown_as_text(lab: str, tmp_path: Path) -> None:
    """Every text of it that may be any text is a script here; a page holds no element more."""
    whole = json.loads(store.paths(lab)[-1].read_bytes())
    before = Tags(replay.page(lab, store.read(store.paths(lab)[-1]))[1])
    file = tmp_path / "2-cores.json"
    free: dict[str, bool] = {}  # whether a field's name takes any text
    for path in list(leaves(whole)):
        name = str([key for key in path if isinstance(key, str)][-1])
        if name not in free:
            changed = json.loads(json.dumps(whole))
            hostile(changed, path)
            file.write_text(json.dumps(changed))
            with contextlib.suppress(BadRecording, Unusable):
                free[name] = bool(replay.page(lab, store.read(file)))
            free.setdefault(name, False)
        if free[name]:
            hostile(whole, path)
    assert sum(free.values()) > 3  # the machine's words, the versions, when it was
    file.write_text(json.dumps(whole))
    _, shown = replay.page(lab, store.read(file))
    after = Tags(shown)
    assert "alert(1)" in shown
    assert set(after.names) <= set(before.names) and "img" not in after.names
    assert after.names.count("script") == before.names.count("script")  # its figures' data
    assert after.attributes <= before.attributes


def log(answers: list[dict[str, Any]]) -> bytes:
    return json.dumps({"book": "Wall Time", "schema": 1, "answers": answers}).encode()


@pytest.fixture
def progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "progress.json"
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(file))
    monkeypatch.setenv("LABS_MODE", "live")
    monkeypatch.setattr(progress_log, "_unwritten", [])
    monkeypatch.setattr(progress_log, "_told", "")
    return file


@pytest.mark.parametrize("content", [DEEP, b'{"answers": NaN}', *RUINED.values()])
def test_a_ruined_progress_file_is_kept_aside(progress: Path, content: bytes) -> None:
    progress.write_bytes(content)
    in_time(lambda: progress_log.answered("2.1", "", 50, True), WITHIN_S)
    found, said = progress_log.read()
    assert len(found.answers) == len(said) == 1
    (aside,) = progress.parent.glob("progress.json.aside-*")
    assert aside.read_bytes() == content


def test_a_huge_progress_file_is_told_and_left_as_it_is(progress: Path) -> None:
    with progress.open("wb") as huge:
        huge.truncate(1 << 40)
    in_time(lambda: progress_log.answered("2.1", "", 50, True), WITHIN_S)
    assert "it holds more than 16 MiB" in progress_log.read()[1][0]
    assert progress.stat().st_size == 1 << 40


def test_a_large_progress_file_is_shown_and_brought_back_in_linear_time(progress: Path) -> None:
    at = {"at": "", "value": 1, "right": True, "tries": 1}
    lists = {
        "answers": [{**at, "exercise": f"e{n}", "seed": ""} for n in range(15_000)],
        "diagnoses": [{**at, "lab": f"l{n}", "seed": n, "guess": ""} for n in range(15_000)],
        "predictions": [
            {**at, "key": f"{n}", "lab": f"l{n}", "question": "", "unit": "", "measured": 1}
            for n in range(10_000)
        ],
    }
    progress.write_text(json.dumps({"book": "Wall Time", "schema": 1, **lists}))
    assert progress.stat().st_size > 3 * 2**20
    chapter = Chapter(number="2", title="One core", labs=(), exercises=("2.1",))

    def all_of_it() -> None:
        with contextlib.closing(ProgressPanel((chapter,))) as panel:
            panel._delete.click()
            assert progress_log.read()[0].empty
            panel._undo.click()
            assert "l14999" in panel._table.value

    in_time(all_of_it, WITHIN_S, "it looks at all entries for each")
    found, said = progress_log.read()
    assert not said and [len(found.answers), len(found.diagnoses)] == [15_000, 15_000]


@pytest.mark.parametrize("put", [os.mkfifo, Path.mkdir, lambda it: it.symlink_to("elsewhere")])
def test_a_lock_that_somebody_put_there_is_left_alone(
    progress: Path, put: Callable[[Path], None]
) -> None:
    put(progress.with_name("progress.json.lock"))
    in_time(lambda: progress_log.answered("2.1", "", 50, True), WITHIN_S)
    assert "cannot be used" in progress_log.read()[1][0]
    assert not progress.with_name("elsewhere").exists()


def test_what_a_progress_file_says_is_shown_as_text(progress: Path) -> None:
    said = {"exercise": SCRIPT, "seed": SCRIPT, "value": 1e308, "right": True, "tries": 1, "at": ""}
    progress.write_bytes(log([said, {**said, "exercise": "2.1", "at": SCRIPT}]))
    chapter = Chapter(number="2", title="One core", labs=(), exercises=("2.1",))
    with contextlib.closing(ProgressPanel((chapter,))) as panel:
        panel._name.value = SCRIPT
        shown = "".join(part.value for part in (panel._table, panel._file, panel._notice))
    assert "alert(1)" in shown
    assert not {"script", "img"} & set(Tags(shown).names)
    (name,) = re.findall(r'download="(.*?)"', shown)
    assert re.fullmatch(r"wall-time-[\w-]+\.csv", name)


EXTREMES = (0, -1, 10**9, 10**18, 1e308, -1e308, 5e-324)
MOST_MEMORY = 2**30


def numbers(lab: str) -> list[tuple[Any, ...]]:
    """Where the numbers of its recording are: one place for each of their names, drawn by it."""
    names: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for path, value in ruined.leaves(json.loads(store.paths(lab)[0].read_bytes())):
        if type(value) in (int, float):
            fields = tuple(key for key in path if isinstance(key, str) and key.isidentifier())
            names.setdefault(fields, []).append(path)
    drawn = ruined.dice(1, lab)
    return [drawn.choice(paths) for paths in names.values()]


def shown_with(lab: str, path: tuple[Any, ...], value: float, file: Path) -> bool:
    """Whether a page shows its recording with that number there; False where it is refused."""
    file.write_bytes(ruined.instead(store.paths(lab)[0].read_bytes(), path, json.dumps(value)))
    try:
        return bool(replay.page(lab, store.read(file)))
    except BadRecording as refusal:
        said = str(refusal)
        assert "\n" not in said and said.endswith("`make record`."), said
        return False


@pytest.fixture
def within_memory() -> Iterator[None]:
    def most() -> int:
        unit = 1 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

    before = most()
    yield
    assert most() - before < MOST_MEMORY


@pytest.mark.usefixtures("within_memory")
@pytest.mark.parametrize(
    ("lab", "path", "value"),
    [
        ("many-cores", ("machine", "cores"), 10**9),
        ("many-cores", ("runs", 0, "calibration", "overhead_s"), 1e9),
        ("many-cores", ("runs", 1, "calibration", "loops_per_s", 0), 0),
        ("many-cores", ("runs", 1, "points", 1, "users"), 0),
        ("the-launch", ("parts", "100 threads", "runs", 2, "calibration", "generator_s"), 1e308),
        ("the-launch", ("contrast", "users"), 10**18),
        ("which-limit", ("variants", "before", "experiment", "workload", "wait_cv"), 5e-324),
        ("which-limit", ("variants", "right", "runs", 2, "points", 1, "demand_s"), -1),
        ("classics-s2", ("runs", 0, "tries", 9, "users"), 0),
    ],
)
def test_a_number_that_was_never_measured_is_refused(
    lab: str, path: tuple[Any, ...], value: float, tmp_path: Path
) -> None:
    assert not in_time(lambda: shown_with(lab, path, value, tmp_path / "2-cores.json"), WITHIN_S)


LABS = [folder.name for folder in sorted(store.folder().iterdir()) if store.paths(folder.name)]


@pytest.mark.usefixtures("within_memory")
def test_some_numbers_of_recordings_set_to_extremes_are_refused_or_shown(tmp_path: Path) -> None:
    drawn = ruined.dice(1, "extremes")
    for lab in drawn.sample(LABS, 10):
        for path in drawn.sample(numbers(lab), 3):
            value = drawn.choice(EXTREMES)
            show = partial(shown_with, lab, path, value, tmp_path / "2-cores.json")
            in_time(show, WITHIN_S, f"{lab}: {path}: {value}")


@pytest.mark.extended
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("within_memory")
@pytest.mark.parametrize("lab", LABS)
def test_each_number_of_a_recording_set_to_an_extreme_is_refused_or_shown(
    lab: str, tmp_path: Path
) -> None:
    drawn = ruined.dice(1, f"extremes of {lab}")
    for path in numbers(lab):
        value = drawn.choice(EXTREMES)
        show = partial(shown_with, lab, path, value, tmp_path / "2-cores.json")
        in_time(show, WITHIN_S, f"{path}: {value}")
