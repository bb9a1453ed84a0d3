"""A class's CSV files, joined: counted, drawn on one line, and refused where they are broken."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import plotly.graph_objects as go
import pytest

from labs.__main__ import main
from labs.kinds.race.run import RaceLab
from labs.panel.progress import progress_sheet
from labs.present import handed_in
from labs.present.bets import Bet, bets_figure
from labs.present.class_report import class_table, figures, laptops
from labs.present.tables import Table
from labs.progress_log import Answered, Foretold, ProgressLog
from labs.recordings.pages import Chapter
from labs.records.reworded import REWORDED
from labs.site.class_files import handed_in as handed_in_of

AT = "2026-03-01T10:00:00+00:00"
HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'
CHAPTERS = (
    Chapter(number="3", title="Many cores", labs=("many-cores",), exercises=("3.1",)),
)  # fmt: skip


def bet(value: float, measured: float | None, *, fit: bool = True) -> Foretold:
    return Foretold(
        key=f"{value}", lab="many-cores", question="how many requests a second", unit="req/s",
        value=value, at=AT, measured=measured, model=measured and measured * 1.01, fit=fit,
    )  # fmt: skip


def saved(folder: Path, name: str, *bets: Foretold, right: bool = True, file: str = "") -> Path:
    answer = Answered(exercise="3.1", seed="", value=1.0, right=right, tries=1, at=AT)
    kept = ProgressLog(predictions=bets, answers=(answer,))
    path = folder / f"{file or name or 'nobody'}.csv"
    path.write_text(progress_sheet(kept, CHAPTERS, name).csv(), "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "class"
    made.mkdir()
    saved(made, "Ann", bet(100, 102))
    saved(made, "Ben", bet(400, 200), right=False)
    saved(made, "Ben", bet(400, 200), right=False, file="ben-again")
    saved(made, "", bet(50, 51, fit=False), bet(60, None))
    return made


def read(files: Iterable[Path], *, names: bool = True) -> Any:
    rows = [handed_in.read(file.read_bytes(), file.name) for file in files]
    return laptops(rows, names=names)


def test_a_class_is_counted_by_laptops(folder: Path) -> None:
    found = read(sorted(folder.glob("*.csv")))
    assert [each.name for each in found] == ["Ann", "Ben", "laptop 3"]
    sheet: Table = class_table(found)
    rows = [[cell.replace("\u00a0", " ") for cell in row] for row in sheet.rows]
    assert rows == [
        ["3", "1", "2", "250 req/s", "151 req/s",
         "3 · Many cores: prediction many-cores, how many requests a second"],
        ["3", "2", "", "", "", "3 · Many cores: exercise 3.1"],
    ]  # fmt: skip


def test_a_question_in_an_earlier_books_words_is_the_same_one(tmp_path: Path) -> None:
    asked = RaceLab().question
    assert asked is not None
    for who, words in enumerate((asked.words, *REWORDED)):
        kept = ProgressLog(predictions=(replace(bet(30.0 + who, 40.0), question=words),))
        (tmp_path / f"{who}.csv").write_text(progress_sheet(kept, CHAPTERS, f"{who}").csv())
    (row,) = class_table(read(sorted(tmp_path.glob("*.csv")))).rows
    assert row[0] == "3" and row[-1].endswith(asked.words)


def test_a_file_of_a_page_without_python_is_handed_in_too_and_nothing_is_passed_over(
    tmp_path: Path,
) -> None:
    kept = ProgressLog(predictions=(bet(30.0, 40.0),))
    (tmp_path / "wall-time-progress.json").write_bytes(msgspec.json.encode(kept))
    (tmp_path / "live.csv").write_text(progress_sheet(kept, CHAPTERS, "B").csv())
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "essay.docx").write_bytes(b"PK\x03\xff")
    found, complaints = handed_in_of([str(tmp_path)], names=True)
    assert sorted(each.name for each in found) == ["B", "laptop 2"]
    assert [row.value for each in found for row in each.rows] == [30.0, 30.0]
    assert len(complaints) == 2
    assert all(any(name in each for each in complaints) for name in ("other.json", "essay.docx"))


def test_each_laptop_is_a_mark_over_a_line_of_equality(folder: Path) -> None:
    ((alt, figure),) = figures(read(sorted(folder.glob("*.csv"))))
    go.Figure(figure)  # which plotly itself takes
    line, model, bets = figure["data"]
    assert line["x"] == line["y"] == [100, 400]
    # As My progress draws it: what was said across, and up what was measured.
    of_one = bets_figure([Bet(lab="a", unit="req/s", said=100, measured=102)])["layout"]
    ours = figure["layout"]
    for axis, mine, word in (("xaxis", "you said", "Said"), ("yaxis", "it was", "Measured")):
        assert of_one[axis]["title"]["text"].startswith(mine)
        assert ours[axis]["title"]["text"].startswith(word)
    assert (bets["x"], bets["y"]) == ([100, 400], [102, 200])
    assert model["x"] == [103.02, 202]
    assert "2 bets, 1 of them within 5 %" in alt


def test_the_command_prints_the_table_and_writes_one_file(folder: Path, capsys: Any) -> None:
    page = folder.parent / "class.html"
    assert main(["class", str(folder), "-o", str(page)]) == 0
    assert "prediction many-cores" in capsys.readouterr().out
    text = page.read_text("utf-8")
    assert "Ann" in text and "Plotly.newPlot" in text
    assert page.stat().st_mode & 0o077 == 0
    loads = re.compile(r"<(script|link|img|iframe)[^>]*(src|href)=")
    assert not loads.search(text.replace(plotly(text), ""))


def test_without_names_none_is_in_the_page(folder: Path) -> None:
    page = folder.parent / "class.html"
    assert main(["class", str(folder), "--no-names", "-o", str(page)]) == 0
    text = page.read_text("utf-8").replace(plotly(page.read_text("utf-8")), "")
    assert "laptop 2, many-cores" in text
    assert not re.search("Ann|Ben|ben-again", text)


def plotly(text: str) -> str:
    """The longest script of a page."""
    return max(re.findall(r"<script>(.*?)</script>", text, re.DOTALL), key=len)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def test_html_in_a_name_stays_text(tmp_path: Path) -> None:
    saved(tmp_path, HOSTILE, bet(100, 102), file="hostile")
    page = tmp_path / "class.html"
    assert main(["class", str(tmp_path / "hostile.csv"), "-o", str(page)]) == 0
    tags = Tags()
    tags.feed(page.read_text("utf-8"))
    assert "img" not in tags.seen and tags.seen.count("script") == 3
    ((data),) = re.findall(r'<script type="application/json">(.*?)</script>', page.read_text())
    (said,) = json.loads(data)["data"][2]["customdata"]
    assert "<" not in said and "&lt;script&gt;" in said  # plotly would read tags


HEAD = ",".join(handed_in.COLUMNS)
GOOD = f"Ann,3 · Many cores,prediction,many-cores,how many,40,req/s,,,38.1,38.4,yes,{AT}"


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        (b"", 1, "not the columns"),
        (b"a;b;c\n", 1, "not the columns"),
        (f"{GOOD}\n".encode(), 1, "not the columns"),
        (f"{HEAD}\n{GOOD}\n".replace(",", ";").encode(), 1, "not the columns"),
        (f"{HEAD}\n{GOOD}\n".encode("utf-16"), 1, "UTF-8"),
        (f"{HEAD}\n{GOOD},more\n".encode(), 2, "cells"),
        (f"{HEAD}\n{GOOD.replace('40', '')}\n".encode(), 2, "a prediction without"),
        (f"{HEAD}\n{GOOD.replace('38.4', '5 5')}\n".encode(), 2, "“5 5” under “model”"),
        (HEAD.encode() + b"\nAnn,\xff\n", 2, "UTF-8"),
        (f"{HEAD}\n{GOOD}\nAnn,3\n".encode(), 3, "2 cells"),
        (f"{HEAD}\n{GOOD.replace('40', 'inf')}\n".encode(), 2, "“inf” under “value”"),
        (f"{HEAD}\n{GOOD.replace('40', '1.79e308')}\n".encode(), 2, "“1.79e308” under “value”"),
        (f"{HEAD}\n{GOOD.replace('38.1', '5e-324')}\n".encode(), 2, "“5e-324” under “measured”"),
        (f"{HEAD}\n{GOOD.replace('38.1', 'many')}\n".encode(), 2, "“many” under “measured”"),
        (f"{HEAD}\n{GOOD.replace('prediction', 'dance')}\n".encode(), 2, "“dance” under “kind”"),
        (f"{HEAD}\n{GOOD.replace('yes', 'perhaps')}\n".encode(), 2, "under “fit”"),
        (f"{HEAD}\n{GOOD.replace('Ann', 'A' * 1001)}\n".encode(), 2, "more than 1000 letters"),
        (f'{HEAD}\n"Ann\n'.encode(), 2, "unexpected end"),
        (f"{HEAD}\n{GOOD}\n".encode() + f"{GOOD}\n".encode() * 10_000, 10_002, "10000 rows"),
    ],
)
def test_a_broken_file_is_left_out_and_told(
    folder: Path, capsys: Any, content: bytes, line: int, why: str
) -> None:
    (folder / "broken.csv").write_bytes(content)
    page = folder.parent / "class.html"
    assert main(["class", str(folder), "-o", str(page)]) == 2
    said = capsys.readouterr()
    (told,) = said.err.splitlines()
    assert f"broken.csv, line {line}: " in told
    assert why in told
    assert "prediction many-cores" in said.out and "could not be read: 1." in page.read_text()


def test_what_is_no_ordinary_file_of_a_bounded_size_is_told(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "large.csv").write_bytes(b"x" * (2**20 + 1))
    places = [str(tmp_path / "large.csv"), str(tmp_path / "none.csv"), "/dev/zero"]
    assert main(["class", *places, "-o", str(tmp_path / "c.html")]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 4 and "more than 1 MiB" in told[0] and "nothing was written" in told[3]
    assert not (tmp_path / "c.html").exists()


def test_no_students_file_is_written_over(folder: Path, capsys: Any) -> None:
    ann = folder / "Ann.csv"
    before = ann.read_bytes()
    assert main(["class", str(folder), "-o", str(ann)]) == 2
    assert "must end in .html" in capsys.readouterr().err and ann.read_bytes() == before


def test_a_file_that_a_spreadsheet_saved_and_odd_letters_are_read() -> None:
    text = f"{HEAD}\r\n{GOOD.replace('Ann', chr(39) + '=Ann' + chr(27) + '[2J')}\r\n\r\n"
    (row,) = handed_in.read(b"\xef\xbb\xbf" + text.encode(), "a.csv")
    assert row.name == "=Ann\ufffd[2J" and row.measured == 38.1


@pytest.mark.parametrize(
    "pair", [("0", "0"), ("-3", "5"), ("1e12", "1e-6"), ("1", "1.0000000000001"), ("7", "7.00001")]
)
def test_whatever_numbers_were_typed_there_is_a_figure(pair: tuple[str, str]) -> None:
    value, measured = pair
    text = f"{HEAD}\n{GOOD.replace('40', value).replace('38.1', measured).replace('38.4', '')}\n"
    found = laptops([handed_in.read(text.encode(), "a.csv")], names=True)
    ((_, figure),) = figures(found)
    go.Figure(figure)
    assert class_table(found).rows[0][2] == "1"


def test_a_file_of_odd_units_asks_for_no_more_figures_than_a_class_has() -> None:
    odd = "\n".join(GOOD.replace("req/s", f"odd {number}") for number in range(2000))
    mine, theirs = (f"{HEAD}\n{odd}\n", f"{HEAD}\n{GOOD}\n{GOOD.replace('Ann', 'Ben')}\n")
    read = [handed_in.read(text.encode(), "a.csv") for text in (mine, theirs)]
    drawn = figures(laptops(read, names=True))
    assert len(drawn) == 20
    assert "in req/s" in drawn[0][0]  # which two laptops have
