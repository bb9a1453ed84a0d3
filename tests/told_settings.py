"""What the labs' servers are told: the settings in the templates, PostgreSQL's, and options."""

import re

from labs.records.experiment import Server
from labs.servers.catalogue import row_of
from labs.servers.postgresql import SETTINGS
from labs.servers.products import TEMPLATES

FILES = {
    "Apache": ("apache.conf", "apache-prefork.conf", "apache-threads.conf"),
    "nginx": ("nginx.conf", "nginx-files.conf", "nginx-fpm.conf"),
    "php-fpm": ("php-fpm.conf", "php.ini"),
}
COMMANDS = {  # two of each, as some options are a lab's own
    "gunicorn": [Server("threaded", processes=n, threads=n) for n in (2, 3)],
    "uvicorn": [Server("event-loop", processes=n) for n in (2, 64)],
}
LINE = re.compile(r"(?P<name>[A-Za-z_][\w.\[\]]*)\s*=?\s*(?P<value>.*?);?")
MAP = re.compile(r"^ *map .*?\{.*?\}", re.MULTILINE | re.DOTALL)  # nginx: its lines set nothing


def set_in(text: str) -> dict[str, str]:
    """Each setting of a configuration, and its value."""
    lines = (LINE.fullmatch(line.strip()) for line in MAP.sub("", text).splitlines())
    return {line["name"]: line["value"] for line in lines if line and line["value"][-1:] != "{"}


def settings(program: str) -> dict[str, str]:
    """Each setting of a program that a page may tell: "@" where it is a lab's own, as in the
    templates."""
    if program == "PostgreSQL":
        return SETTINGS
    if program in COMMANDS:
        one, other = (options(server) for server in COMMANDS[program])
        return {name: value if value == other[name] else "@" for name, value in one.items()}
    return set_in("\n".join((TEMPLATES / name).read_text("utf-8") for name in FILES[program]))


def options(server: Server) -> dict[str, str]:
    """The options of the command that starts a server; "yes" for one without a value."""
    command = row_of(server).command
    assert command is not None
    words = command(server, 0)
    return {
        word: "yes" if after.startswith("--") else after
        for word, after in zip(words, [*words[1:], "--"], strict=True)
        if word.startswith("--")
    }
