"""Origin of the book's server in the browser: on this machine, or at the far end of a proxy.

The server listens on 127.0.0.1 and nowhere else. An `ssh -L` leaves the browser's Host as it is and
needs nothing of this. A proxy that says another Host to the server than the browser's `Origin` says
(GitHub's Codespaces, VS Code's tunnels, code-server) makes every request look like another site's,
and those are refused: so it must be told, and then that one origin is let in, no other.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from labs.records.errors import Unusable

EXAMPLE = "https://name-8888.app.github.dev"
SEGMENTS = re.compile(r"(/[\w.~%@+-]+)*/?")  # of a path, as it stands in an address


@dataclass(frozen=True, slots=True)
class Outside:
    """The server, as a browser beyond a proxy sees it."""

    origin: str  # as the browser says it: scheme, host, and the port unless it is the usual one
    host: str
    stripped: str = ""  # what the proxy takes off each path, such as /proxy/8888

    def admit(self, server: Any) -> None:
        """Let a Jupyter server answer pages of this origin, under its host."""
        settings = server.web_app.settings
        settings["allow_origin"] = self.origin
        settings["local_hostnames"] = [*server.local_hostnames, self.host]


def outside(given: str, port: int, environ: Mapping[str, str] = os.environ) -> Outside | None:
    """Read what the reader gave as the origin, or what a codespace says of that port; None where
    the browser is taken to be on this machine. Unusable for what is no origin.

    >>> outside("https://Lab.example:8443/proxy/8888/", 8888)
    Outside(origin='https://lab.example:8443', host='lab.example', stripped='/proxy/8888')
    """
    name = environ.get("CODESPACE_NAME")
    domain = environ.get("GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN")
    if not given and not (name and domain):
        return None
    text = given or f"https://{name}-{port}.{domain}"
    try:
        found = urlsplit(text.strip().lower())
        whole = bool(found.hostname) and found.port != 0
    except ValueError:
        whole = False
    plain = whole and not (found.query or found.fragment or re.search(r"[@\s]", found.netloc))
    if not plain or found.scheme not in ("http", "https") or not SEGMENTS.fullmatch(found.path):
        raise Unusable(
            f"origin={text!r}: not where a browser could see the book. Give the start of the "
            f"address that it shows, such as {EXAMPLE}."
        )
    path = urlsplit(text.strip()).path.rstrip("/")
    usual = {"http": 80, "https": 443}[found.scheme]
    host = str(found.hostname)
    named = f"[{host}]" if ":" in host else host
    number = "" if found.port in (None, usual) else f":{found.port}"
    return Outside(f"{found.scheme}://{named}{number}", host, path)


def base_url(given: str) -> str:
    """The path below which the server answers, with a slash at both ends. Unusable for none.

    >>> base_url("absproxy/8888")
    '/absproxy/8888/'
    """
    path = f"/{given.strip('/')}/" if given.strip("/") else "/"
    if not SEGMENTS.fullmatch(path) or any(part in (".", "..") for part in path.split("/")):
        raise Unusable(
            f"base_url={given!r}: not a path. Give what a proxy puts before each path and leaves "
            "there, such as /absproxy/8888/."
        )
    return path


def far(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether who started this has come by ssh, and has no screen here to open a browser on."""
    return "SSH_CONNECTION" in environ and "DISPLAY" not in environ


def tunnel(port: int) -> str:
    """Tell what to do on the computer that one has come from."""
    return (
        f"You have come by ssh. On the computer before you, run\n"
        f"    ssh -N -L {port}:127.0.0.1:{port} <this machine, as you reached it>\n"
        "then open the address there. More: “Reading on another machine”, in the appendix."
    )
