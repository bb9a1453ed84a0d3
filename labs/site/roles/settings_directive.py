"""A Sphinx directive for what the labs' servers are told, beside what they do untold.

    ```{settings} nginx
    - keepalive_requests: 1000; 1000
    - apart: pid, root
    ```

A row for each setting of the labs' templates, or PostgreSQL's settings: its value there, which no
page can forget to follow, and from the page what the program does without, and as packaged. Behind
`apart` stand those that change no number: where things lie, who may ask, what is logged. A setting
that the page doesn't name is a warning with its line, so a strict build fails; so is one that is no
longer set.
"""

import re
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from labs.records.experiment import Server
from labs.servers.deployments import KEEP_ALIVE_S, LEAST_SPARE, MOST_SPARE, TEMPLATES
from labs.servers.postgresql import SETTINGS

OF = {
    "apache": ("apache.conf", "apache-prefork.conf", "apache-threads.conf"),
    "nginx": ("nginx.conf", "nginx-files.conf", "nginx-fpm.conf"),
    "php-fpm": ("php-fpm.conf", "php.ini"),
}
LINE = re.compile(r"(?P<name>[A-Za-z_][\w.\[\]]*)\s*=?\s*(?P<value>.*?);?")
MAP = re.compile(r"^ *map .*?\{.*?\}", re.MULTILINE | re.DOTALL)  # nginx: its lines set nothing
ALL = "as many as the lab's pool"
MEANT = {  # what the names in a template are filled with
    "host": "127.0.0.1",
    "port": "…",
    "backlog": str(Server("prefork").backlog),
    "keep_alive": "On, unless a lab says otherwise",
    "keep_alive_s": str(KEEP_ALIVE_S),
    "least": f"{ALL}; {LEAST_SPARE} where it grows",
    "most": f"{ALL}; {MOST_SPARE} where it grows",
    "more": f"{ALL} and a process more",
    "threads": "the lab's threads a process",
    "processes": "the lab's processes",
    "start": "all of the lab's processes, or as many as it says",
    **dict.fromkeys(("workers", "children"), ALL),
}


class SettingsDirective(SphinxDirective):
    """`{settings} program`, with what each does untold."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        program = self.arguments[0]
        for name in OF.get(program, ()):
            self.env.note_dependency(str(TEMPLATES / name))
        try:
            lines = table(settings(program), list(self.content))
        except ValueError as problem:
            raise self.error(f"{{settings}} {program}: {problem}") from None
        self.content = StringList(lines, program)
        return self.parse_content_to_nodes()


def settings(program: str) -> dict[str, str]:
    """Each setting and its value: PostgreSQL's, or of all templates of another program."""
    if program == "postgresql":
        return SETTINGS
    return set_in("\n".join((TEMPLATES / name).read_text("utf-8") for name in OF[program]))


def set_in(text: str) -> dict[str, str]:
    """Each setting of a configuration, and its value."""
    lines = (LINE.fullmatch(line.strip()) for line in MAP.sub("", text).splitlines())
    return {line["name"]: line["value"] for line in lines if line and line["value"][-1:] != "{"}


def table(ours: dict[str, str], content: list[str]) -> list[str]:
    """In Markdown, from lines `- setting: the program's; Debian's`. ValueError where the settings
    and the lines aren't the same."""
    said = dict(line.removeprefix("- ").split(": ", 1) for line in content if line)
    apart = said.pop("apart", "").split(", ")
    known = {*said, *filter(None, apart)}
    if missing := sorted(ours.keys() - known):
        raise ValueError(f"set in a lab, and not said here: {', '.join(missing)}")
    if gone := sorted(known - ours.keys()):
        raise ValueError(f"said here, and set in no lab: {', '.join(gone)}")
    rows = [(f"`{name}`", _meant(ours[name]), *rest.split("; ", 1)) for name, rest in said.items()]
    head = [("setting", "in our labs", "by default", "in Debian's package"), ("---",) * 4]
    return [f"| {' | '.join(row)} |" for row in (*head, *rows)]


def _meant(value: str) -> str:
    """A value with its names as words. ValueError of a name without any."""
    try:
        return re.sub("@([a-z_]+)", lambda name: MEANT[name[1]], value)
    except KeyError as name:
        raise ValueError(
            f"@{name.args[0]} has no words in labs/site/roles/settings_directive.py"
        ) from None


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_directive("settings", SettingsDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
