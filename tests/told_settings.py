"""What the labs' servers are told: the settings in the templates and PostgreSQL's."""

import re

from labs.servers.deployments import TEMPLATES
from labs.servers.postgresql import SETTINGS

FILES = {
    "Apache": ("apache.conf", "apache-prefork.conf", "apache-threads.conf"),
    "nginx": ("nginx.conf", "nginx-files.conf", "nginx-fpm.conf"),
    "php-fpm": ("php-fpm.conf", "php.ini"),
}
LINE = re.compile(r"(?P<name>[A-Za-z_][\w.\[\]]*)\s*=?\s*(?P<value>.*?);?")
MAP = re.compile(r"^ *map .*?\{.*?\}", re.MULTILINE | re.DOTALL)  # nginx: its lines set nothing


def set_in(text: str) -> dict[str, str]:
    """Each setting of a configuration, and its value."""
    lines = (LINE.fullmatch(line.strip()) for line in MAP.sub("", text).splitlines())
    return {line["name"]: line["value"] for line in lines if line and line["value"][-1:] != "{"}


def settings(program: str) -> dict[str, str]:
    """Each setting of PostgreSQL, or of all templates of another program, that a page may tell."""
    if program == "PostgreSQL":
        return SETTINGS
    return set_in("\n".join((TEMPLATES / name).read_text("utf-8") for name in FILES[program]))
