"""Sphinx's settings as `_config.yml` has them, for those who call Sphinx itself.

    .venv/bin/sphinx-build -c setup book OUT      as `make preview` does
    .venv/bin/python setup/conf.py > FOLDER/conf.py

The second writes them down for a Sphinx that knows no Jupyter Book.
"""

from pathlib import Path

from labs.site.build.book import hurry

hurry()

from jupyter_book.config import get_final_config  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
OF_JUPYTER_BOOK = ("jupyter_book", "sphinx_jupyterbook_latex", "sphinx_thebe")

settings, _ = get_final_config(
    user_yaml=ROOT / "_config.yml",
    sourcedir=BOOK,
    cli_config={"latex_individualpages": False, "external_toc_path": str(ROOT / "_toc.yml")},
)
settings["html_static_path"] = [str(BOOK / name) for name in settings["html_static_path"]]
settings["html_favicon"] = str(BOOK / settings["html_favicon"])
globals().update(settings)

if __name__ == "__main__":
    extensions = [each for each in settings["extensions"] if each not in OF_JUPYTER_BOOK]
    for name, value in (settings | {"extensions": extensions}).items():
        print(f"{name} = {value!r}")
