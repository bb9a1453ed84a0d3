"""A class's files of progress, joined: counted, drawn on one line, refused where broken."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
import ruined
from bs4 import BeautifulSoup

from labs.__main__ import main
from labs.class_files import collected, sheet_of
from labs.present.class_report import figures, laptops
from labs.records.progress import MOST_BYTES, Answered, Foretold, Saved, written

AT = "2026-03-01T10:00:00+00:00"
HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'


def bet(value: float, measured: float | None, *, fit: bool = True) -> Foretold:
    return Foretold(
        key=f"{value}", lab="many-cores", question="how many requests a second", unit="req/s",
        value=value, at=AT, measured=measured, model=measured and measured * 1.01, fit=fit,
    )  # fmt: skip


def saved(folder: Path, name: str, *bets: Foretold, right: bool = True, file: str = "") -> Path:
    answer = Answered(exercise="3.1", seed="", value=1.0, right=right, tries=1, at=AT)
    path = folder / f"{file or name or 'nobody'}.json"
    path.write_bytes(written(Saved(predictions=bets, answers=(answer,), name=name)))
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


def test_a_class_is_counted_by_laptops(folder: Path) -> None:
    found, _ = collected([str(folder)], names=True)
    rows = [[cell.replace("\u00a0", " ") for cell in row] for row in sheet_of(found).rows]
    assert rows == [
        ["3", "1", "2", "250 req/s", "151 req/s",
         "3 · Many cores: prediction many-cores, how many requests a second"],
        ["3", "2", "", "", "", "3 · Many cores: exercise 3.1"],
    ]  # fmt: skip


def test_collected_passes_nothing_over_in_silence(folder: Path) -> None:
    (folder / "other.json").write_text("{}")
    (folder / "essay.docx").write_bytes(b"PK\x03\xff")
    (folder / ".DS_Store").write_bytes(b"")
    (folder / "Dan.json").write_bytes(written(Saved(name="Dan")))
    (folder / "old").mkdir()
    saved(folder / "old", "Cem", bet(100, 102))
    found, complaints = collected([str(folder)], names=True)
    assert [each.name for each in found] == ["Ann", "Ben", "laptop 3"]
    assert len(complaints) == 5 and sum("no bet, answer" in each for each in complaints) == 1
    for name in ("other.json", "essay.docx", ".DS_Store", "old"):
        assert any(f"{folder / name}: " in each for each in complaints)
    found, complaints = collected([str(folder / "old"), str(folder / ".DS_Store")], names=True)
    assert [each.name for each in found] == ["Cem"] and len(complaints) == 1


def test_each_laptop_is_a_mark_over_a_line_of_equality(folder: Path) -> None:
    ((alt, figure),) = figures(collected([str(folder)], names=True)[0])
    go.Figure(figure)  # which plotly itself takes
    line, model, bets = figure["data"]
    assert line["x"] == line["y"] == [100, 400]
    ours = figure["layout"]  # as My progress has it
    for axis, word in (("xaxis", "Said"), ("yaxis", "Measured")):
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


def test_html_in_a_name_stays_text(tmp_path: Path) -> None:
    saved(tmp_path, HOSTILE, bet(100, 102), file="hostile")
    page = tmp_path / "class.html"
    assert main(["class", str(tmp_path / "hostile.json"), "-o", str(page)]) == 0
    tags = [each.name for each in BeautifulSoup(page.read_text("utf-8"), "html.parser").find_all()]
    assert "img" not in tags and tags.count("script") == 3
    ((data),) = re.findall(r'<script type="application/json">(.*?)</script>', page.read_text())
    (said,) = json.loads(data)["data"][2]["customdata"]
    assert "<" not in said and "&lt;script&gt;" in said  # plotly would read tags


GOOD = written(Saved(predictions=(bet(40, 38.4),), name="Ann"))


def test_class_leaves_broken_files_out_and_names_each(folder: Path, capsys: Any) -> None:
    broken = [
        *(how(GOOD) for how in ruined.BROKEN.values()),
        GOOD.replace(b'"value": 40', b'"value": 1e999'),
        GOOD.replace(b"38.4", b'"many"'),
        GOOD.replace(b"Wall Time", b"Another"),
        GOOD.replace(b'"schema": 1', b'"schema": 2'),
    ]
    for number, content in enumerate(broken):
        (folder / f"broken-{number:02}.json").write_bytes(content)
    page = folder.parent / "class.html"
    assert main(["class", str(folder), "-o", str(page)]) == 2
    said = capsys.readouterr()
    for number, told in enumerate(said.err.splitlines()):
        assert f"broken-{number:02}.json: no file of My progress, or a damaged one" in told
    assert number + 1 == len(broken)
    assert "prediction many-cores" in said.out
    assert f"no files of My progress: {len(broken)}." in page.read_text()


def test_what_is_no_ordinary_file_of_a_bounded_size_is_told(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "large.json").write_bytes(b"x" * (MOST_BYTES + 1))
    places = [str(tmp_path / "large.json"), str(tmp_path / "none.json"), "/dev/zero"]
    assert main(["class", *places, "-o", str(tmp_path / "c.html")]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 4 and "more than 4 MiB" in told[0] and "nothing was written" in told[3]
    assert not (tmp_path / "c.html").exists()


def test_no_students_file_is_written_over(folder: Path, capsys: Any) -> None:
    ann = folder / "Ann.json"
    before = ann.read_bytes()
    assert main(["class", str(folder), "-o", str(ann)]) == 2
    assert "must end in .html" in capsys.readouterr().err and ann.read_bytes() == before


def test_laptops_replaces_odd_letters_and_cuts_long_texts() -> None:
    (found,) = laptops([Saved(predictions=(bet(40, 38.4),), name="=Ann\x1b[2J")], names=True)
    assert found.name == "=Ann\ufffd[2J"
    (found,) = laptops([Saved(predictions=(bet(40, 38.4),), name="A" * 10**6)], names=True)
    assert len(found.name) == 1000


@pytest.mark.parametrize(
    ("value", "measured", "settled"),
    [
        *((1e12, 1e-6, "1"), (1, 1.0000000000001, "1"), (7, 7.00001, "1")),
        *((0, 0, "0"), (-3, 5, "0"), (1e308, 1, "0"), (1, 5e-324, "0")),
    ],
)
def test_figures_draws_what_can_be_measured(value: float, measured: float, settled: str) -> None:
    found = laptops([Saved(predictions=(bet(value, measured),))], names=True)
    drawn = figures(found)
    assert len(drawn) == int(settled)
    for _, figure in drawn:
        go.Figure(figure)
    assert sheet_of(found).rows[0][2] == settled


def test_figures_are_of_the_units_that_most_laptops_have() -> None:
    odd = [replace(bet(40, 38.4), unit=f"odd {number}") for number in range(2000)]
    files = [Saved(predictions=(*odd,), name="Ann")]
    files += [Saved(predictions=(bet(40, 38.4),), name=name) for name in ("Ann", "Ben")]
    drawn = figures(laptops(files, names=True))
    assert len(drawn) == 20
    assert "in req/s" in drawn[0][0]
