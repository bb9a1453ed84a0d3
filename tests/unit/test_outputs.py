"""Real output of tools: its files, what is sheared away, notes to its lines, its directive."""

import getpass
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from labs.host.hardware import fingerprint
from labs.host.project import ROOT
from labs.present.annotations import NoSuchLine, annotated, notes
from labs.recordings.outputs import recorder, rows, shearing, store
from labs.recordings.outputs.tools import tool
from labs.records.errors import BadRecording, Unusable
from labs.records.output import Output, read

LINES = [
    "State  Recv-Q Send-Q Local Address:Port",
    "LISTEN 17     16         127.0.0.1:8000",
    "LISTEN 3      <8>        127.0.0.1:8001",
]
QUEUE = Output(
    command="ss -lnt",
    what="gunicorn",
    tool="ss 6.1.0",
    made="2026-11-22T11:00:00+00:00",
    machine=fingerprint(),
    text="\n".join(LINES),
)


# -- files -------------------------------------------------------------------------------------


def test_an_output_is_read_as_it_was_written() -> None:
    strange = replace(QUEUE, text="\nfirst: line\n\n  and: the last")
    assert read(QUEUE.written(), "queue") == QUEUE
    assert read(strange.written(), "strange") == strange
    assert QUEUE.written().endswith("\n" + "\n".join(LINES) + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "State Recv-Q",
        QUEUE.written().partition("\n\n")[0],  # cut short
        QUEUE.written().replace("tool: ", "instrument: "),
        QUEUE.written().replace('{"system"', '{"sys'),
    ],
)
def test_what_is_no_output_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(BadRecording, match=r"queue: .*Record it anew with `python -m labs output`"):
        read(text, "queue")


def test_a_missing_file_is_told_with_those_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_OUTPUT", str(tmp_path / "made"))
    with pytest.raises(BadRecording, match=r"queue: no such output\. There are: none"):
        store.read("queue")
    store.save("line", QUEUE)
    with pytest.raises(BadRecording, match="There are: line"):
        store.read("queue")
    assert store.read("line") == QUEUE


# -- what is sheared away ----------------------------------------------------------------------


def test_names_and_places_of_this_machine_go() -> None:
    known = shearing.people_and_places()
    said = (
        f"{sys.executable} -m gunicorn in {ROOT}/labs of {Path.home()}\n"
        f"Linux ({socket.gethostname()}) for {getpass.getuser()} in {sys.base_prefix}/bin\n"
        "at 127.0.0.1:43210 with wall-time-server-x/access.log"
    )
    left = shearing.sheared(said, known, port=43210, folder="wall-time-server-x")
    assert shearing.personal(left) == []
    assert str(Path.home()) not in left
    assert left.splitlines()[0].startswith(".venv/bin/python")
    assert left.splitlines()[-1] == "at 127.0.0.1:8000 with access.log"


def test_columns_stay_where_they_were() -> None:
    known = {"somebody": "you", "ann": "you"}
    said = "USER      PR\nsomebody  20\nann       20\nannabel   20\n0.0:54321   *\n0.0:1234567"
    assert shearing.sheared(said, known, port=54321).splitlines() == [
        "USER      PR", "you       20", "you       20", "annabel   20", "0.0:8000    *",
        "0.0:1234567",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "said",
    ["/home/ann", "in /tmp/x", "from 192.168.1.7:80", "/Users/ann", "10.0.0.1"],
)
def test_what_is_still_somebodys_is_found(said: str) -> None:
    assert shearing.personal(f"one line\nand {said} there")


def test_what_is_nobodys_is_left() -> None:
    assert not shearing.personal(
        "127.0.0.1:8000 0.0.0.0:* /usr/bin/python ss 6.1.0 1.2.3 labs/tmp/x"
    )


# -- notes -------------------------------------------------------------------------------------


def test_notes_say_what_stands_in_the_output() -> None:
    said = [
        "1. `Recv-Q`: the line,",
        "   and so on",
        "2. `LISTEN … …`: **{1} people**, {2} places.",
    ]
    head, line = notes(said, LINES)
    assert (head.line, line.line) == (0, 1)
    assert LINES[0][head.begin : head.end] == "Recv-Q"
    assert head.text == "1. `Recv-Q`: the line,\n   and so on"
    assert line.text == "2. `LISTEN 17 16`: **17 people**, 16 places."
    assert [LINES[1][begin:end] for begin, end in line.bold] == ["17"]


def test_notes_go_down_and_along_the_lines() -> None:
    said = ["1. `LISTEN …`: **{1}**", "2. `^LISTEN …`: {1}", "3. `…$`: {1}"]
    assert [note.line for note in notes(said, LINES)] == [1, 2, 2]
    assert notes(said, LINES)[2].text == "3. `127.0.0.1:8001`: 127.0.0.1:8001"


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (["1. `Recv-X`: **{1}**"], "`Recv-X`: no line of the output has this. Take words"),
        (["1. `LISTEN … 15`: **{1}**"], "`LISTEN … 15`: no line"),
        (["1. `ISTEN …`: **{1}**"], "`ISTEN …`: no line"),  # no word begins there
        (["1. `LISTEN …`: **{1}**", "2. `Recv-Q`: above"], "`Recv-Q`: no line .* from line 2 on"),
        (["1. `LISTEN …`: **{2}**"], "has 1 times …"),
        (["1. `LISTEN …`: {1}"], "the number to look for is missing, or there are several"),
        (["1. `LISTEN …`: **{1}**", "2. `LISTEN …`: **{1}**"], "or there are several"),
        (["`LISTEN …`: **{1}**"], "no note. Write `1. `"),
        (["2. `LISTEN …`: **{1}**"], "no note. Write `1. `"),
        (["1. of LISTEN"], "no note. Write `1. `"),
        ([""], "no notes"),
    ],
)
def test_a_note_that_is_not_about_the_output_is_refused(said: list[str], complaint: str) -> None:
    with pytest.raises(NoSuchLine, match=complaint):
        notes(said, LINES)


def test_the_lines_are_marked_and_escaped() -> None:
    drawn = annotated(LINES, notes(["1. `LISTEN 3 …`: **{1}**"], LINES))
    assert "<mark>LISTEN 3      <strong>&lt;8&gt;</strong></mark>" in drawn
    assert drawn.count("\n") == len(LINES)
    assert drawn.count("<b>1</b>") == 1


# -- the directive -----------------------------------------------------------------------------

PAGE = "# A page\n\n```{output} queue\n1. `LISTEN …`: **{1}** in line, *at most*.\n```\n"


def test_a_page_shows_an_output_and_a_build_fails_where_it_no_longer_says_so(
    tmp_path: Path,
) -> None:
    pages = {
        "index": PAGE + "\n```{toctree}\nchanged\nmissing\n```\n",
        "changed": PAGE.replace("LISTEN", "CLOSED"),
        "missing": PAGE.replace("} queue", "} line"),
    }
    (tmp_path / "book").mkdir()
    for name, text in pages.items():
        (tmp_path / "book" / f"{name}.md").write_text(text)
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "queue.txt").write_text(QUEUE.written())
    extensions = "extensions=myst_parser,labs.site.output_directive"
    command = ["sphinx", "-q", "-W", "--keep-going", "-C", "-D", extensions, "book", "site"]
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=tmp_path,
        env={**os.environ, "LABS_OUTPUT": str(tmp_path / "made"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode != 0
    complaints = [line for line in done.stderr.splitlines() if ".md:" in line]
    assert len(complaints) == 2, done.stderr
    assert "changed.md:3" in complaints[0] and "missing.md:3" in complaints[1]
    assert "`CLOSED …`: no line of the output has this" in done.stderr
    assert "line: no such output. There are: queue" in done.stderr
    html = (tmp_path / "site" / "index.html").read_text()
    assert '<pre tabindex="0" role="region" aria-label="Output of ss -lnt">' in html
    assert "<mark>LISTEN <strong>17</strong></mark>" in html
    assert "<strong>17</strong> in line, <em>at most</em>." in html
    assert "22 November 2026" in html and QUEUE.machine.system in html


# -- the table and the command -----------------------------------------------------------------


def test_a_tool_that_is_missing_says_how_to_get_it() -> None:
    row = rows.ROWS[0]
    apt = replace(row, tool=tool("no-such-tool", "some-package", "-V"))
    pip = replace(row, tool=tool("no-such-tool", "some-package", "-V", pip=True))
    with pytest.raises(Unusable, match=r"not recorded. Install it with: apt-get install some-pac"):
        recorder.output(apt, 1.0)
    with pytest.raises(Unusable, match=r"Install it with: python -m pip install some-package"):
        recorder.output(pip, 1.0)


def test_an_output_that_nobody_knows_is_refused_before_anything_starts() -> None:
    with pytest.raises(Unusable, match=r"queue: no such output. Choose from time-curl, "):
        recorder.record_outputs(["queue"], print)


def test_a_story_wants_its_figures() -> None:
    story = rows.Story(r"LISTEN +(\d+) +(\d+)", lambda line, places: line > places, "it is full")
    assert story.shown(LINES[1])
    assert not story.shown(LINES[1].replace("17", "16"))
    assert not story.shown("nothing of the kind")
