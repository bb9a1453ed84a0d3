"""Files that somebody else wrote: refused in a sentence, or shown as the text that they hold."""

import contextlib
import json
import os
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import ruined
from bs4 import BeautifulSoup
from waiting import in_time

from labs import progress_log
from labs.host import files
from labs.recordings import replay, store
from labs.records.errors import BadRecording, Unusable

WITHIN_S = 20.0
MOST_MEMORY = 2**30
ONE_SIZE = {"kind": "process", "sizes": [1], "pss_bytes": [1]}
SCRIPT = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'
LABS = [folder.name for folder in sorted(store.folder().iterdir()) if store.paths(folder.name)]


def shown(lab: str, content: bytes, file: Path) -> bool:
    """Whether a page shows that as the lab's recording; False where a sentence refuses it."""
    file.write_bytes(content)
    try:
        return bool(replay.page(lab, store.read(file)))
    except BadRecording as refusal:
        said = str(refusal)
        assert "\n" not in said and ".. " not in said and said.endswith("`make record`."), said
        return False


@pytest.fixture
def within_memory() -> Iterator[None]:
    def most() -> int:
        unit = 1 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

    before = most()
    yield
    assert most() - before < MOST_MEMORY


@pytest.mark.parametrize("how", ruined.BROKEN)
def test_store_refuses_a_broken_recording(how: str, tmp_path: Path) -> None:
    content = ruined.BROKEN[how](store.paths("wall-time")[0].read_bytes())
    assert not in_time(lambda: shown("wall-time", content, tmp_path / "2-cores.json"), WITHIN_S)


@pytest.mark.parametrize("recorded", ruined.SMALLEST.values(), ids=ruined.SMALLEST)
def test_store_refuses_a_recording_with_something_impossible_in_one_place(
    recorded: Path, tmp_path: Path
) -> None:
    lab, whole, file = recorded.parent.name, recorded.read_bytes(), tmp_path / "2-cores.json"
    for what, content in ruined.wrong(whole, lab, 1):
        assert not shown(lab, content, file), what
    for key in ("schema", "machine", "kind"):
        fields = json.loads(whole)
        del fields[key]
        assert not shown(lab, json.dumps(fields).encode(), file), f"without {key}"


@pytest.mark.parametrize(
    ("lab", "path", "value"),
    [
        ("wall-time", ("kind",), "../../os"),
        ("many-cores", ("machine", "cores"), 10**9),
        ("many-cores", ("runs", 0, "calibration", "timer_s"), 1e308),
        ("many-cores", ("runs", 0, "calibration", "overhead_s"), 1e9),
        ("many-cores", ("runs", 1, "calibration", "loops_per_s", 0), 0),
        ("many-cores", ("runs", 1, "points", 1, "users"), 0),
        ("many-cores", ("runs", 1, "points", 1, "users"), 10**9),
        ("the-launch", ("parts", "100 threads", "runs", 2, "calibration", "generator_s"), 1e308),
        ("which-limit", ("variants", "before", "experiment", "workload", "wait_cv"), 5e-324),
        ("which-limit", ("variants", "right", "runs", 2, "points", 1, "demand_s"), -1),
        ("the-launch", ("parts",), {}),
        ("which-limit", ("variants",), {}),
        ("classics-s2", ("runs", 0, "tries", 9, "users"), 0),
        ("classics-s2", ("runs", 0, "tries", 9, "throughput_rps"), 0.0),
        ("classics-s2", ("runs",), []),
        ("wall-time", ("runs", 0, "pages", 0, "wall_s"), [1.0, 2.0]),
        ("wall-time", ("runs",), []),
        ("your-machine", ("calibrations",), []),
        ("a-shared-counter", ("runs", 0, "counts", 0, "asked"), 0),
        ("a-shared-counter", ("runs", 0, "counts", 0, "counted"), 10**6),
        ("a-shared-counter", ("runs", 0, "counts", 0, "counted"), -1),
        ("whom-are-you-measuring", ("runs", 0, "gauges", 0, "throughput_rps"), 0.0),
        ("memory-per-worker", ("runs", 0, "growths", 0, "sizes"), [2, 1, 4, 8, 16, 32]),
        ("memory-per-worker", ("runs", 0, "growths", 0, "sizes"), [1, 1, 4, 8, 16, 32]),
        ("memory-per-worker", ("runs", 0, "growths", 0, "pss_bytes"), [1]),
        ("memory-per-worker", ("runs", 0, "growths", 0, "rss_bytes"), []),
        ("memory-per-worker", ("runs", 0, "growths", 0), {**ONE_SIZE, "rss_bytes": [1]}),
    ],
)
@pytest.mark.usefixtures("within_memory")
def test_store_refuses_what_was_never_measured(
    lab: str, path: ruined.Place, value: object, tmp_path: Path
) -> None:
    content = ruined.instead(store.paths(lab)[0].read_bytes(), path, json.dumps(value))
    assert not in_time(lambda: shown(lab, content, tmp_path / "2-cores.json"), WITHIN_S)


@pytest.mark.parametrize("name", ["..", "/etc", "", "nope", "\0", "many-cores/2-cores.json"])
def test_store_recording_refuses_what_is_no_lab(name: str) -> None:
    with pytest.raises(BadRecording):
        store.recording(name)


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


def tags(page: str) -> tuple[Counter[str], set[str]]:
    """What a browser would make of a page: its elements, and their attributes' names."""
    found = BeautifulSoup(page, "html.parser").find_all()
    return Counter(each.name for each in found), {name for each in found for name in each.attrs}


def hostile(data: Any, path: tuple[Any, ...]) -> None:
    """Put a script there."""
    *way, last = path
    for key in way:
        data = data[key]
    data[last] = SCRIPT


@pytest.mark.parametrize(
    "lab",
    ["many-cores", "a-shared-counter", pytest.param("which-limit", marks=pytest.mark.extended)],
)
def test_a_recordings_words_are_shown_as_text(lab: str, tmp_path: Path) -> None:
    """Every text of it that may be any text is a script here; a page holds no element more."""
    whole = json.loads(store.paths(lab)[-1].read_bytes())
    elements, names = tags(replay.page(lab, store.read(store.paths(lab)[-1])))
    file = tmp_path / "2-cores.json"
    free: dict[str, bool] = {}  # whether a field's name takes any text
    for path in [place for place, value in ruined.leaves(whole) if isinstance(value, str)]:
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
    shown = replay.page(lab, store.read(file))
    now, named = tags(shown)
    assert "alert(1)" in shown
    assert set(now) <= set(elements) and "img" not in now and named <= names
    assert now["script"] == elements["script"]  # its figures' data


WHOLE = json.dumps(
    {
        "book": "Wall Time",
        "schema": 1,
        "answers": [
            {"exercise": "1.1", "seed": "", "value": 5, "right": True, "tries": 1, "at": ""}
        ],
    }
).encode()
SPOILT = {
    **{name: how(WHOLE) for name, how in ruined.BROKEN.items()},
    **dict(ruined.wrong(WHOLE, "progress", 6)),
    "no record": b'{"todo": ["milk"]}',
    "of another book": WHOLE.replace(b"Wall Time", b"Another"),
    "of another version": WHOLE.replace(b'"schema": 1', b'"schema": 99'),
}


@pytest.fixture
def progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "progress.json"
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(file))
    monkeypatch.setenv("LABS_MODE", "live")
    return file


@pytest.mark.parametrize("content", SPOILT.values(), ids=SPOILT)
def test_progress_log_keeps_a_spoilt_or_foreign_file_aside(content: bytes, progress: Path) -> None:
    progress.write_bytes(content)
    in_time(lambda: progress_log.diagnosed("which-limit", 3, "lock", True), WITHIN_S)
    found, (said,) = progress_log.read()
    (aside,) = progress.parent.glob("progress.json.aside-*")
    assert str(aside) in said and aside.read_bytes() == content
    assert len(found.diagnoses) == 1


def test_a_huge_progress_file_is_told_and_left_as_it_is(progress: Path) -> None:
    with progress.open("wb") as huge:
        huge.truncate(1 << 40)
    in_time(lambda: progress_log.diagnosed("which-limit", 3, "lock", True), WITHIN_S)
    assert "it holds more than 4 MiB" in progress_log.read()[1][0]
    assert progress.stat().st_size == 1 << 40


@pytest.mark.parametrize(
    ("name", "put"),
    [
        ("progress.json", os.mkfifo),
        ("progress.json.lock", os.mkfifo),
        ("progress.json.lock", Path.mkdir),
        ("progress.json.lock", lambda it: it.symlink_to("elsewhere")),
    ],
)
def test_progress_log_leaves_what_is_no_ordinary_file_alone(
    progress: Path, name: str, put: Callable[[Path], None]
) -> None:
    put(progress.with_name(name))
    in_time(lambda: progress_log.diagnosed("which-limit", 3, "lock", True), WITHIN_S)
    assert "cannot be used" in progress_log.read()[1][0]
    assert os.listdir(progress.parent) == [name]


EXTREMES = (0, -1, 10**9, 10**18, 1e308, -1e308, 5e-324)


def numbers(lab: str) -> list[ruined.Place]:
    """Where the numbers of its recording are: one place for each of their names, drawn by it."""
    names: dict[ruined.Place, list[ruined.Place]] = {}
    for path, value in ruined.leaves(json.loads(store.paths(lab)[0].read_bytes())):
        if type(value) in (int, float):
            fields = tuple(key for key in path if isinstance(key, str) and key.isidentifier())
            names.setdefault(fields, []).append(path)
    drawn = ruined.dice(1, lab)
    return [drawn.choice(paths) for paths in names.values()]


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("within_memory")
@pytest.mark.parametrize(
    ("labs", "most"),
    [(ruined.dice(1, "extremes").sample(LABS, 5), 3)]
    + [pytest.param([lab], 30, marks=pytest.mark.extended, id=lab) for lab in LABS],
)
def test_a_recording_with_a_number_set_to_an_extreme_is_refused_or_shown(
    labs: list[str], most: int, tmp_path: Path
) -> None:
    for lab in labs:
        drawn, found = ruined.dice(1, f"extremes of {lab}"), numbers(lab)
        for path in drawn.sample(found, min(most, len(found))):
            value = json.dumps(drawn.choice(EXTREMES))
            content = ruined.instead(store.paths(lab)[0].read_bytes(), path, value)
            show = partial(shown, lab, content, tmp_path / "2-cores.json")
            in_time(show, WITHIN_S, f"{lab}: {path}: {value}")
