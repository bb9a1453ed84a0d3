"""Shears a tool's output of everything personal: names of user and host, places, addresses.

What is taken away is replaced by something as wide where columns follow, so that the output stays
as the tool has set it. What may still be personal is found again, and such output is not kept.
"""

import getpass
import os
import re
import socket
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from labs.host.project import ROOT
from labs.servers.catalogue import PORT_BY_HAND

USER, HOST = "you", "host"
ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
ALLOWED = re.compile(r"127\.\d+\.\d+\.\d+|0\.0\.0\.0")
PLACES = re.compile(r"(?<![\w.:])/(?:home|Users|root|tmp|work|opt|var/folders|private)(?:/\S*)?")


def people_and_places() -> dict[str, str]:
    """What says who and where this is -> what stands for it, the longest first."""
    known = {
        f"{ROOT}/": "",
        str(ROOT): ".",
        f"{Path(sys.executable).parent}/": ".venv/bin/",
        str(Path(sys.base_prefix).resolve()): "/usr",
        sys.base_prefix: "/usr",
        str(Path.home()): "~",
    }
    ordered = dict(sorted(known.items(), key=lambda each: -len(each[0])))
    hosts = {socket.getfqdn(), socket.gethostname()} - {"localhost"}
    return ordered | dict.fromkeys(sorted(hosts), HOST) | {getpass.getuser(): USER}


def sheared(text: str, known: Mapping[str, str], *, port: int = 0, folder: str = "") -> str:
    """The text with what stands for people and places, on the port that is easy to type.

    known: as `people_and_places` has it. port, folder: the server's, where it has them.
    """
    if folder:
        text = text.replace(f"{folder}/", "").replace(folder, ".")
    for name, stands in known.items():
        if name.startswith(("/", ".")):
            text = text.replace(name, stands)
        else:  # a name is a word, and columns follow
            pattern = rf"(?<![\w.-]){re.escape(name)}(?![\w.-])( *)"
            text = re.sub(pattern, partial(as_wide, stands), text)
    if port:
        text = re.sub(rf":{port}\b( *)", partial(as_wide, f":{PORT_BY_HAND}"), text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def as_wide(stands: str, found: re.Match[str]) -> str:
    """What stands for it; as wide as it was where columns follow, that is, several blanks."""
    if len(found[1]) < 2:
        return stands + found[1]
    return stands.ljust(len(found[0]) - 1) + " "


def personal(text: str) -> list[str]:
    """What may still be somebody's name, place or address; nothing is as it should be."""
    found = [match[0] for match in PLACES.finditer(text)]
    found += [each for each in ADDRESS.findall(text) if not ALLOWED.fullmatch(each)]
    names = {getpass.getuser(), socket.gethostname(), os.uname().nodename} - {"localhost", HOST}
    found += [name for name in names if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text)]
    return sorted(set(found))
