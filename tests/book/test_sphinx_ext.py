"""What a built page holds so that it can go live."""

from __future__ import annotations

from labs.site.sphinx_ext import live_cells

CHAPTER = """---
jupytext:
  text_representation:
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
---

# A chapter

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


def test_labs_and_what_prepares_them_are_run_in_order() -> None:
    assert live_cells(CHAPTER) == [
        {"source": "import math", "lab": False},
        {"source": 'print("</script>")\nmath.pi', "lab": True},
    ]


def test_a_page_without_a_lab_runs_nothing() -> None:
    assert live_cells(CHAPTER.replace("lab, hide-input", "hide-input")) == []
