"""What a built page holds so that it can go live."""

from typing import Any

from chapters import FRONT
from myst_nb.core.read import read_myst_markdown_notebook

from labs.site.build.cells import live_cells

CHAPTER = (
    FRONT
    + """# A chapter

```{code-cell} ipython3
:tags: [remove-cell]
import math
```

```{code-cell} ipython3
6 * 7
```

```{code-cell} ipython3
---
tags: [lab, hide-input]
---
print("</script>")
math.pi
```
"""
)


def found(text: str) -> list[dict[str, Any]]:
    return live_cells(read_myst_markdown_notebook(text).cells)


def test_labs_and_what_prepares_them_are_run_in_order() -> None:
    assert found(CHAPTER) == [
        {"source": "import math", "lab": False},
        {"source": 'print("</script>")\nmath.pi', "lab": True},
    ]


def test_a_page_without_a_lab_runs_nothing() -> None:
    assert found(CHAPTER.replace("lab, hide-input", "hide-input")) == []
