"""Runs the cells of the book's pages, all in the process that builds the book.

A kernel for each page took two thirds of a build. Here myst-nb's own reader reads a page, its cells
run one after the other, with names of the page's own, and myst-nb gets a notebook that has been
run. On the page a cell stays a cell, for JupyterLab. One that fails is a warning with the line
where it begins, so that a strict build fails; the page's later cells are then left out.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from IPython.core.formatters import DisplayFormatter
from myst_nb.core.read import (  # type: ignore[import-untyped]
    is_myst_markdown_notebook,
    read_myst_markdown_notebook,
)
from myst_nb.sphinx_ import Parser  # type: ignore[import-untyped]
from nbformat import NotebookNode
from nbformat.v4 import new_output
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)

CELLS = "cells"  # of a page's metadata: those that a live page runs
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}  # as a kernel says
SOURCE = "<cell>"  # where a cell's code comes from, in a traceback
FORMATTER = DisplayFormatter()  # as a kernel's


def run(
    source: str, names: dict[str, Any], count: int
) -> tuple[list[NotebookNode], BaseException | None]:
    """The outputs of a cell, the `count`th of a page with these names: what it prints, and what
    its last line comes to. And what it failed with."""
    printed, value, error = io.StringIO(), None, None
    try:
        with contextlib.redirect_stdout(printed):
            value = _value(ast.parse(source, SOURCE), names)
    except (Exception, SystemExit) as raised:
        error = raised
    outputs = []
    if printed.getvalue():
        outputs.append(_output("stream", name="stdout", text=printed.getvalue()))
    if value is not None:
        data, metadata = FORMATTER.format(value)  # type: ignore[no-untyped-call]
        result = _output("execute_result", data=data, metadata=metadata, execution_count=count)
        outputs.append(result)
    return outputs, error


def _value(cell: ast.Module, names: dict[str, Any]) -> Any:
    """What the last line of a cell comes to when all of it has been run; None of a statement."""
    *body, last = cell.body or [ast.Pass()]
    if not isinstance(last, ast.Expr):
        exec(compile(cell, SOURCE, "exec"), names)
        return None
    exec(compile(ast.Module(body, []), SOURCE, "exec"), names)
    return eval(compile(ast.Expression(last.value), SOURCE, "eval"), names)


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
    names: dict[str, Any] = {"__name__": "__main__"}
    count = itertools.count(1)
    with contextlib.chdir(path.parent):
        for number, (cell, start) in enumerate(cells):
            cell.id = f"cell-{number}"  # nbformat's own are random, and stand in `_sources`
            if cell.cell_type != "code":
                continue
            cell.execution_count = next(count)
            cell.outputs, error = run(cell.source, names, cell.execution_count)
            if error is not None:
                sentence = f"{type(error).__name__}: {error}"
                logger.warning(sentence, location=(env.docname, start))
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
