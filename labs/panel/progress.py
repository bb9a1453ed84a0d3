"""The page of the reader's progress: what is kept, to read, to take away and to delete."""

import json
import re
from collections.abc import Mapping, Sequence

import ipywidgets
from markupsafe import Markup, escape

from labs import progress_log
from labs.exercises import chapters as exercises
from labs.kinds.mystery.scenarios import LIMITS
from labs.panel.figure_view import FigureView
from labs.panel.run_bar import put
from labs.present.bet import CLOSE, is_close
from labs.present.bets import Bet, bets_alt, bets_figure
from labs.present.caveats import HOLLOW
from labs.present.handed_in import COLUMNS, DIGITS, FORMULAS
from labs.present.markup import alarm, paragraphs, status, table
from labs.present.tables import Table, link
from labs.progress_log import Answered, Diagnosed, Foretold, ProgressLog
from labs.recordings.pages import Chapter, chapters
from labs.records.format import NARROW, digits, plain

EXERCISES = ("chapter", "solved", "tried", "open")
MINUTES = {row.id: row.minutes for row in exercises.EXERCISES}
DIAGNOSES = ("on", "lab", "server", "your diagnosis", "right", "tries")
GOALS = ("on", "scene", "goal reached")
PREDICTIONS = ("on", "lab", "you said", "the model", "it was")


class ProgressPanel(ipywidgets.VBox):
    """Table, a name and a file for a teacher, and deletion with a way back."""

    def __init__(self, chapters: Sequence[Chapter]) -> None:
        self._chapters = tuple(chapters)
        self._deleted: list[ProgressLog] = []  # what Undo puts back
        self._notice = ipywidgets.HTML()
        self._table = ipywidgets.HTML().add_class("wt-data")
        self._bets = FigureView()
        self._name = ipywidgets.Text(
            description="Your name",
            placeholder="if a teacher is to know",
            tooltip="It goes into the file and nowhere else, and is not kept.",
            continuous_update=True,  # who types it and saves at once has it in the file
        )
        self._name.observe(lambda _: self._offer(), "value")
        self._file = ipywidgets.HTML()
        self._again = ipywidgets.Button(
            description="Read again", tooltip="Another page may have added something"
        )
        self._delete = ipywidgets.Button(
            description="Delete all", tooltip="Everything on this page. Undo follows."
        )
        self._upload = ipywidgets.FileUpload(
            description="Read a file",
            accept=".json",
            tooltip="Saved on a page without Python: put it beside what is here",
        )
        self._upload.observe(lambda _: self._reading(), "value")
        self._undo = ipywidgets.Button(description="Undo", tooltip="Put back what was deleted")
        self._said = ipywidgets.HTML()
        self._again.on_click(lambda _: self._show())
        self._delete.on_click(lambda _: self._deleting())
        self._undo.on_click(lambda _: self._undoing())
        super().__init__(
            children=(
                self._notice,
                # Above what they empty and fill: so they stay where they were pressed.
                ipywidgets.HBox(
                    (self._again, self._upload, self._delete, self._undo, self._said)
                ).add_class("wt-actions"),
                self._bets,
                self._table,
                ipywidgets.HBox((self._name, self._file)).add_class("wt-actions"),
            )
        )
        self.add_class("wt-panel")
        self._show()

    def _show(self, said: str = "") -> None:
        self._diary, notices = progress_log.read()
        put(self._notice, "".join(alarm(each) for each in notices))
        bets = settled(self._diary)
        self._bets.figure, self._bets.alt = bets_figure(bets), bets_alt(bets)
        put(self._table, progress_table(self._diary, self._chapters))
        put(self._said, status(said) if said else "")
        self._delete.disabled = self._diary.empty
        self._undo.layout.display = "" if self._deleted else "none"
        self._offer()

    def _offer(self) -> None:
        """The file for a teacher. It is in the page itself: no server is asked."""
        name = self._name.value.strip()
        words = re.sub(r"[^\w-]+", "-", name.lower()).strip("-")
        file = f"wall-time-{words}.csv" if words else "wall-time.csv"
        text = progress_sheet(self._diary, self._chapters, name).csv()
        saving = link(file, "text/csv", text, "Save as CSV")
        put(self._file, "" if self._diary.empty else saving)

    def _reading(self) -> None:
        """What a file has, beside what was here."""
        if not (chosen := self._upload.value):
            return
        (file,) = chosen
        self._upload.value = ()  # the same file may be read again
        data = bytes(file["content"])
        found = progress_log.parsed(data) if len(data) <= progress_log.MOST_BYTES else None
        if found is None:
            self._show(f"{file['name']}: not a file of progress. Choose one that was saved here.")
            return
        progress_log.restore(found)
        self._show(f"{file['name']} is read, beside what was here.")

    def _deleting(self) -> None:
        self._deleted.append(progress_log.clear())
        self._show("Deleted. You can undo it until you leave this page.")

    def _undoing(self) -> None:
        while self._deleted:
            progress_log.restore(self._deleted.pop())
        self._show("It is back.")


def progress_table(kept: ProgressLog, chapters: Sequence[Chapter]) -> Markup:
    """What is kept, by chapter, as HTML: a sentence, the exercises, the predictions, the
    diagnoses, and the goals at scenes that a browser's file had."""
    every = (*chapters, *_elsewhere(kept, chapters))
    shown = paragraphs([summary(kept, chapters)])
    given = _answers(kept)
    shown += table(EXERCISES, [_row(given, each) for each in every if each.exercises])
    told = [_told(each, chapter) for chapter in every for each in _predictions(kept, chapter)]
    shown += table(PREDICTIONS, told) if told else Markup("")
    said = [
        (
            *(_day(each.at), _lab(each.lab, chapter), str(each.seed)),
            *(_diagnosis(each) or "none", _outcome(each), str(each.tries)),
        )
        for chapter in every
        for each in _diagnoses(kept, chapter)
    ]
    shown += table(DIAGNOSES, said) if said else Markup("")
    names = {each.page: each.name for each in chapters if each.page}
    reached = [
        (_day(each.at), _scene(each.page, names), each.words) for each in kept.scenes if each.words
    ]
    return shown + (table(GOALS, reached) if reached else Markup(""))


def summary(kept: ProgressLog, chapters: Sequence[Chapter]) -> str:
    """The whole in a sentence or two."""
    if kept.empty:
        return "Nothing is kept yet. Commit to a prediction in a lab, or answer an exercise."
    ids = [id for chapter in chapters for id in chapter.exercises]
    solved = len({each.exercise for each in kept.answers if each.right}.intersection(ids))
    came = settled(kept)
    close = sum(is_close(bet.said, bet.measured, bet.unit) for bet in came)
    predictions = len(kept.predictions)
    said = (
        f"{solved} of {len(ids)} exercises solved. {predictions} "
        f"prediction{'s' if predictions != 1 else ''}, {len(came)} of them measured since, "
        f"{close} within {100 * CLOSE:.0f} %."
    )
    if hollow := sum(not each.fit for each in kept.predictions):
        many = "was measured by a point" if hollow == 1 else "were measured by points"
        said += f" {hollow} {many} {HOLLOW}, which settles nothing: run again."
    if number := len(kept.diagnoses):
        found = sum(each.right for each in kept.diagnoses)
        said += f" {found} of {number} {'mystery' if number == 1 else 'mysteries'} solved."
    return said


def settled(kept: ProgressLog) -> list[Bet]:
    """The predictions that a measurement to be believed has settled."""
    return [
        Bet(lab=each.lab, unit=each.unit, said=each.value, measured=each.measured)
        for each in kept.predictions
        if each.measured and each.fit
    ]


def progress_sheet(kept: ProgressLog, chapters: Sequence[Chapter], name: str) -> Table:
    """All that is kept as a table for a teacher: a row for each prediction, answer and
    diagnosis."""
    rows: list[tuple[str, ...]] = []
    given = _answers(kept)
    for chapter in (*chapters, *_elsewhere(kept, chapters)):
        for each in _predictions(kept, chapter):
            rows.append(
                (
                    *(name, chapter.name, "prediction", each.lab, each.question),
                    *(plain(each.value, DIGITS), each.unit, "", ""),
                    *(plain(each.measured, DIGITS), plain(each.model, DIGITS)),
                    *("" if each.measured is None else "yes" if each.fit else "no", each.at),
                )
            )
        for answer in (each for id in chapter.exercises for each in given.get(id, ())):
            rows.append(
                (
                    *(name, chapter.name, "exercise", answer.exercise, answer.seed),
                    *(plain(answer.value, DIGITS), "", "yes" if answer.right else "no"),
                    *(str(answer.tries), "", "", "", answer.at),
                )
            )
        for said in _diagnoses(kept, chapter):
            rows.append(
                (
                    *(name, chapter.name, "diagnosis", said.lab, str(said.seed)),
                    *(_diagnosis(said), "", _outcome(said)),
                    *(str(said.tries), "", "", "", said.at),
                )
            )
    return Table(COLUMNS, tuple(tuple(_harmless(cell) for cell in row) for row in rows))


def _row(given: Mapping[str, Sequence[Answered]], chapter: Chapter) -> tuple[str, ...]:
    solved, tried, untouched = [], [], []
    for id in chapter.exercises:
        answers, linked = given.get(id, ()), _linked(id, chapter.place(id))
        if any(each.right for each in answers):
            solved.append(linked + _seeds([each for each in answers if each.right]))
        elif answers:
            tries = sum(each.tries for each in answers)
            tried.append(linked + f" ({tries} {'try' if tries == 1 else 'tries'})")
        else:
            untouched.append(linked)
    several = [Markup(", ").join(each) for each in (solved, tried, untouched)]
    if untouched:
        minutes = sum(MINUTES.get(id, 0) for id in chapter.exercises if id not in given)
        several[-1] += f" ({minutes} minutes)"
    return _linked(chapter.name, chapter.page), *several


def _told(each: Foretold, chapter: Chapter) -> tuple[str, ...]:
    """A prediction beside the model and the measurement."""
    model, measured = (
        "" if value is None else f"{digits(value)}{NARROW}{each.unit}"
        for value in (each.model, each.measured)
    )
    said = f"{digits(each.value)}{NARROW}{each.unit}"
    was = measured if each.fit else f"{measured}, {HOLLOW}"
    return _day(each.at), _lab(each.lab, chapter), said, model, was or "not measured yet"


def _lab(lab: str, chapter: Chapter) -> str:
    """Its name, with the chapter's number, and where it stands in the book."""
    return _linked(f"{chapter.number or chapter.title} · {lab}", chapter.place(lab))


def _scene(page: str, names: Mapping[str, str]) -> str:
    """The page of a scene; one that is not known is text, whatever a file says."""
    address = f"{page}.html"
    return _linked(names[address], address) if address in names else escape(page)


def _linked(text: str, place: str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(place, text) if place else escape(text)


def _day(at: str) -> str:
    return at.partition("T")[0]


def _seeds(answers: Sequence[Answered]) -> str:
    named = [f"“{each.seed}”" for each in answers if each.seed]
    return f" ({', '.join(named)})" if named else ""


def _answers(kept: ProgressLog) -> dict[str, list[Answered]]:
    """By exercise."""
    given: dict[str, list[Answered]] = {}
    for each in kept.answers:
        given.setdefault(each.exercise, []).append(each)
    return given


def _predictions(kept: ProgressLog, chapter: Chapter) -> list[Foretold]:
    labs = frozenset(chapter.labs)
    return [each for each in kept.predictions if each.lab in labs]


def _diagnoses(kept: ProgressLog, chapter: Chapter) -> list[Diagnosed]:
    labs = frozenset(chapter.labs)
    return [each for each in kept.diagnoses if each.lab in labs]


def _diagnosis(said: Diagnosed) -> str:
    """As the list of suspects has it; as it was kept where that knows it no more."""
    return next((each.called for each in LIMITS if each.name == said.guess), said.guess)


def _outcome(said: Diagnosed) -> str:
    return "yes" if said.right else "told" if said.told else "no"


def _elsewhere(kept: ProgressLog, chapters: Sequence[Chapter]) -> list[Chapter]:
    """What is in no chapter: labs of the reader's own, exercises of another version."""
    labs = {lab for chapter in chapters for lab in chapter.labs}
    ids = {id for chapter in chapters for id in chapter.exercises}
    asked = [each.lab for each in kept.predictions] + [each.lab for each in kept.diagnoses]
    others = tuple(dict.fromkeys(lab for lab in asked if lab not in labs))
    more = tuple(dict.fromkeys(e.exercise for e in kept.answers if e.exercise not in ids))
    if not others and not more:
        return []
    return [Chapter(number="", title="Elsewhere", labs=others, exercises=more)]


def _harmless(cell: str) -> str:
    """A cell that a spreadsheet takes for text, whoever typed it. Numbers stay numbers."""
    if cell[:1] not in FORMULAS or not cell:
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


class Example:
    """The page of progress where there is no Python: what the page's own script has kept
    (book/web/src/progress.ts), and without scripts an empty table."""

    said = (
        "Without Python behind it, this page shows what you have committed to and answered on the "
        "pages of this copy of the book, as your browser has kept it."
    )

    def __repr__(self) -> str:
        return self.said

    def _repr_html_(self) -> str:
        fixed = {row.id for row in exercises.EXERCISES if row.fixed}
        known = [
            {
                "name": each.name,
                "page": each.page,
                "places": {name: each.place(name) for name in (*each.labs, *each.exercises)},
                "labs": each.labs,
                "exercises": each.exercises,
                "minutes": {id: MINUTES[id] for id in each.exercises if id in fixed},
            }
            for each in chapters()
        ]
        data = json.dumps(known, ensure_ascii=False).replace("<", "\\u003c")
        shown = progress_table(ProgressLog(), chapters())
        return Markup(
            '<p>{}</p><div class="wt-data wt-progress"><script type="application/json">{}</script>'
            "{}</div>"
        ).format(self.said, Markup(data), shown)
