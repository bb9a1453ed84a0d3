"""Runs the cells of the book's pages, all in the process that builds the book.

A kernel for each page took two thirds of a build. Here myst-nb's own reader reads a page, its cells
run in one IPython shell, whose names are cleared between pages, and myst-nb gets a notebook that
has been run. On the page a cell stays a cell, for JupyterLab. One that fails is a warning with its
line, so that a strict build fails; the page's later cells are then left out.
"""

from __future__ import annotations

import contextlib
import io
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from myst_nb.core.read import (  # type: ignore[import-untyped]
    is_myst_markdown_notebook,
    read_myst_markdown_notebook,
)
from myst_nb.sphinx_ import Parser  # type: ignore[import-untyped]
from nbformat import NotebookNode
from nbformat.v4 import new_output
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from traitlets import Type
from traitlets.config import Config

logger = logging.getLogger(__name__)

CELLS = "cells"  # of a page's metadata: those that a live page runs
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}  # as a kernel says
# Nobody asks for what was run, nor for the results of before, which take long to clear.
FORGETFUL = Config(
    HistoryManager={"enabled": False, "hist_file": ":memory:"}, InteractiveShell={"cache_size": 0}
)


class _Results(DisplayHook):
    """Collects what the last line of a cell comes to."""

    shell: _Shell

    def write_output_prompt(self) -> None:
        """Write no prompt, as a page has none."""

    def write_format_data(
        self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None
    ) -> None:
        count = self.shell.execution_count
        self.shell.put("execute_result", format_dict, md_dict, execution_count=count)


class _Displays(DisplayPublisher):
    """Collects what a cell displays by itself."""

    def publish(self, data: dict[str, Any], metadata: Any = None, *_: object, **__: object) -> None:
        self.shell.put("display_data", data, metadata)


class _Stream(io.TextIOBase):
    """Collects what a cell prints."""

    def __init__(self, name: str, outputs: list[NotebookNode]) -> None:
        self._name = name
        self._outputs = outputs

    def write(self, text: str) -> int:
        last = self._outputs[-1] if self._outputs else {}
        if last.get("name") == self._name:
            last["text"] += text
        elif text:
            self._outputs.append(_output("stream", name=self._name, text=text))
        return len(text)


class _Shell(InteractiveShell):
    """Runs cells and keeps what they put out, with nothing of the user's own settings."""

    displayhook_class = Type(_Results)
    display_pub_class = Type(_Displays)
    outputs: list[NotebookNode]

    def init_ipython_dir(self, ipython_dir: object) -> None:
        """Make no folder for IPython."""

    def init_profile_dir(self, profile_dir: object) -> None:
        """Make no folder for a profile."""

    def init_sys_modules(self) -> None:
        """Keep `__main__` the program that builds the book."""

    def _showtraceback(self, etype: object, evalue: object, stb: object) -> None:
        """Print nothing: whoever runs a cell tells what went wrong."""

    def put(self, kind: str, data: dict[str, Any], metadata: Any, **more: Any) -> None:
        plain = {
            mime: b64encode(each).decode() if isinstance(each, bytes) else each
            for mime, each in data.items()
        }
        self.outputs.append(_output(kind, data=plain, metadata=metadata or {}, **more))

    def run(self, source: str) -> tuple[list[NotebookNode], BaseException | None]:
        """Run a cell; return its outputs, in order, and what it failed with."""
        outputs: list[NotebookNode] = []
        self.outputs = outputs
        with (
            contextlib.redirect_stdout(_Stream("stdout", outputs)),
            contextlib.redirect_stderr(_Stream("stderr", outputs)),
        ):
            result = self.run_cell(source, store_history=True)  # type: ignore[no-untyped-call]
        return outputs, result.error_before_exec or result.error_in_exec


def _output(kind: str, **fields: Any) -> NotebookNode:
    found: NotebookNode = new_output(kind, **fields)  # type: ignore[no-untyped-call]
    return found


class PageParser(Parser):
    """myst-nb's parser, for which a page's cells have been run."""

    def parse(self, inputstring: str, document: nodes.document) -> None:
        env = document.settings.env
        if not is_myst_markdown_notebook(inputstring):
            super().parse(inputstring, document)
            return
        config = env.mystnb_config
        reader = (f"{__name__}.{executed.__name__}", {"config": env.myst_config, "env": env})
        env.mystnb_config = config.copy(custom_formats={".md": reader})
        try:
            super().parse(inputstring, document)
        finally:
            env.mystnb_config = config


def executed(text: str, config: Any, env: BuildEnvironment) -> NotebookNode:
    """The page as a notebook whose cells have been run, in the folder of the page."""
    path = Path(env.doc2path(env.docname))
    notebook: NotebookNode = read_myst_markdown_notebook(
        text, config=config, add_source_map=True, path=path
    )
    notebook.metadata["language_info"] = LANGUAGE
    cells = zip(notebook.cells, notebook.metadata["source_map"], strict=True)
    shell = _Shell.instance(config=FORGETFUL)
    shell.reset()  # type: ignore[no-untyped-call]
    with contextlib.chdir(path.parent):
        for number, (cell, start) in enumerate(cells):
            cell.id = f"cell-{number}"  # nbformat's own are random, and stand in `_sources`
            if cell.cell_type != "code":
                continue
            cell.execution_count = shell.execution_count
            cell.outputs, error = shell.run(cell.source)
            if error is not None:
                line = _first_line(text.splitlines(), cell.source.splitlines(), start)
                sentence = f"{type(error).__name__}: {error}"
                logger.warning(sentence, location=(env.docname, line + _line_within(error)))
                break
    env.metadata[env.docname][CELLS] = live_cells(notebook.cells)
    return notebook


def live_cells(cells: Sequence[NotebookNode]) -> list[dict[str, Any]]:
    """The cells that a live page runs, in order: labs, and hidden cells that prepare them.

    A cell tagged `lab` shows its output on the page; one tagged `remove-cell` runs silently.
    Every other cell is only shown.
    """
    found = []
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and ("lab" in tags or "remove-cell" in tags):
            found.append({"source": cell.source, "lab": "lab" in tags})
    return found if any(cell["lab"] for cell in found) else []


def _first_line(lines: Sequence[str], source: Sequence[str], start: int) -> int:
    """Find the line of the page (0 is its first) where a cell's code begins: after its options."""
    fits = (at for at in range(start, len(lines)) if lines[at : at + len(source)] == source)
    return next(fits, start)


def _line_within(error: BaseException) -> int:
    """Find the line of the cell (1 is its first) at which it failed."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename.startswith("<ipython-input-"):
            return step.tb_lineno
        step = step.tb_next
    return (isinstance(error, SyntaxError) and error.lineno) or 1  # else it was not even begun
