"""Real output of tools: its files, notes to its lines, its directive."""

from pathlib import Path

import msgspec
import pytest
from chapters import build

from labs.host.hardware import fingerprint
from labs.present.annotations import NoSuchLine, annotated, notes
from labs.recordings import outputs
from labs.recordings.outputs import parsed as read
from labs.records.errors import BadRecording

LINES = [
    "State  Recv-Q Send-Q Local Address:Port",
    "LISTEN 17     16         127.0.0.1:8000",
    "LISTEN 3      <8>        127.0.0.1:8001",
]
QUEUE = f"""command: ss -lnt
what: gunicorn
tool: ss 6.1.0
made: 2026-11-22T11:00:00+00:00
machine: {msgspec.json.encode(fingerprint()).decode()}

{chr(10).join(LINES)}
"""


# -- files -------------------------------------------------------------------------------------


def test_read_takes_an_output_from_its_file() -> None:
    output = read(QUEUE, "queue")
    assert (output.command, output.tool, output.lines) == ("ss -lnt", "ss 6.1.0", LINES)
    strange = read(f"{QUEUE}\n  and: the last\n", "strange")
    assert strange.lines == [*LINES, "", "  and: the last"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "State Recv-Q",
        QUEUE.partition("\n\n")[0],  # cut short
        QUEUE.replace("tool: ", "instrument: "),
        QUEUE.replace('{"system"', '{"sys'),
    ],
)
def test_what_is_no_output_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(BadRecording, match=r"queue: .*Run its command again"):
        read(text, "queue")


def test_a_missing_file_is_told_with_those_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_OUTPUT", str(tmp_path))
    with pytest.raises(BadRecording, match=r"queue: no such output\. There are: none"):
        outputs.read("queue")
    (tmp_path / "line.txt").write_text(QUEUE)
    with pytest.raises(BadRecording, match="There are: line"):
        outputs.read("queue")
    assert outputs.read("line") == read(QUEUE, "line")


# -- notes -------------------------------------------------------------------------------------


def test_notes_find_their_words_down_and_along_the_lines() -> None:
    said = [
        "1. `Recv-Q`: the line,",
        "   and so on",
        "2. `LISTEN 17`: 17 people",
        "3. `16`: {law}`1`",
    ]
    found = notes(said, LINES)
    assert [note.line for note in found] == [0, 1, 1]
    there = [LINES[note.line][note.begin : note.end] for note in found]
    assert there == ["Recv-Q", "LISTEN 17", "16"]


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (
            ["1. `Recv-X`: the line"],
            "`Recv-X`: no line of the output has this from line 1 on",
        ),
        (["1. `LISTEN 17 15`: 17"], "`LISTEN 17 15`: no line"),
        (["1. `ISTEN 17`: 17"], "`ISTEN 17`: no line"),  # no word begins there
        (["1. `LISTEN 1`: 1"], "`LISTEN 1`: no line"),  # nor ends there
        (["1. `LISTEN 17`: one", "2. `Recv-Q`: above"], "`Recv-Q`: no line .* from line 2 on"),
        (["`LISTEN 17`: 17"], "no note. Write `1. `"),
        (["2. `LISTEN 17`: 17"], "no note. Write `1. `"),
        (["1. of LISTEN"], "no note. Write `1. `"),
        ([], "no note. Write `1. `"),
    ],
)
def test_a_note_that_is_not_about_the_output_is_refused(said: list[str], complaint: str) -> None:
    with pytest.raises(NoSuchLine, match=complaint):
        notes(said, LINES)


def test_the_lines_are_marked_and_escaped() -> None:
    drawn = annotated(LINES, notes(["1. `LISTEN 3 <8>`: 8"], LINES))
    assert "<mark>LISTEN 3      &lt;8&gt;</mark>" in drawn
    assert drawn.count("\n") == len(LINES)
    assert drawn.count("<b>1</b>") == 1


# -- the directive -----------------------------------------------------------------------------

PAGE = "# A page\n\n```{output} queue\n1. `LISTEN 17`: 17 in line, *at most*.\n```\n"


def test_a_page_shows_an_output_and_a_build_fails_where_it_no_longer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {
        "index.md": PAGE + "\n```{toctree}\nchanged\nmissing\n```\n",
        "changed.md": PAGE.replace("LISTEN", "CLOSED"),
        "missing.md": PAGE.replace("} queue", "} line"),
        "made/queue.txt": QUEUE,
    }
    (tmp_path / "made").mkdir()
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("LABS_OUTPUT", str(tmp_path / "made"))
    said = build(tmp_path)
    complaints = [line for line in said.splitlines() if ".md:" in line]
    assert len(complaints) == 2, said
    assert "changed.md:3" in complaints[0] and "missing.md:3" in complaints[1]
    assert "`CLOSED 17`: no line of the output has this" in said
    assert "line: no such output. There are: queue" in said
    html = (tmp_path / "out" / "index.html").read_text()
    assert '<pre tabindex="0" role="region" aria-label="Output of ss -lnt">' in html
    assert "<mark>LISTEN 17</mark>" in html
    assert "17 in line, <em>at most</em>." in html
    assert "22 November 2026" in html and fingerprint().system in html
