"""The address of a reader's own server, and one request to see what answers there."""

from __future__ import annotations

import http.client
import ipaddress
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from labs.records.errors import Failed, Unusable
from workloads import protocol

LOOPBACK_NAMES = ("localhost",)
ANSWER_S = 30.0  # for the first answer
MOST_HEADERS = 32
MOST_BODY = 64 * 2**20  # bytes of an answer that are read


@dataclass(frozen=True, slots=True)
class Target:
    """A URL that may be asked. Building one checks it: Unusable says what is wrong.

    mine: a host, typed out by its owner, that is not this machine. Load on somebody else's server
    is an attack, so no other host is ever asked.
    """

    url: str
    mine: str = ""

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            port = parts.port
        except ValueError as error:
            raise Unusable(f"{self.url}: no URL ({error}). {EXAMPLE}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Unusable(
                f"{self.url}: give a URL that begins with http:// or https://. {EXAMPLE}"
            )
        if parts.username or parts.password:
            raise Unusable(
                "A name or password in a URL is seen by everybody on this machine. Put it into a "
                "file as a header, and give that: --header @file."
            )
        impossible = port == 0 or parts.path.startswith("//")
        if impossible or any(letter <= " " or letter > "~" for letter in self.url):
            raise Unusable(f"{self.url!r}: no URL that can be asked. {EXAMPLE}")
        if not self.here and parts.hostname != self.mine:
            why = (
                f"{parts.hostname} is not localhost. Load on somebody else's server is an "
                "attack; if it is yours,"
            )
            raise Unusable(
                f"{why} say so: --host-is-mine {parts.hostname}",
                name="mine",
                rule=f"{why} type its name here as well.",
            )

    @property
    def host(self) -> str:
        """The host's name or address, without brackets."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """The port, or the scheme's own where none is given."""
        parts = urlsplit(self.url)
        return parts.port or (443 if parts.scheme == "https" else 80)

    @property
    def secure(self) -> bool:
        """Whether the server is asked through TLS."""
        return urlsplit(self.url).scheme == "https"

    @property
    def origin(self) -> str:
        """Scheme, host and port, as a load generator wants them."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def base(self) -> str:
        """The address that a scenario's own paths are below, as Locust's `--host` has it."""
        return self.origin + urlsplit(self.url).path.rstrip("/")

    @property
    def page(self) -> str:
        """The path with its query."""
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    @property
    def here(self) -> bool:
        """Whether the host is this machine, by its loopback."""
        if self.host in LOOPBACK_NAMES:
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


EXAMPLE = "For example: http://127.0.0.1:8000/"


def own_users(file: Path, target: Target) -> protocol.Scenario:
    """Tell a Locust of a reader's locustfile: where it is at home, and whom it may ask. Unusable
    where it can't be read. What stands in it is seen by Locust alone, which says at its start what
    is wrong."""
    try:
        file.read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Unusable(f"--locustfile {file}: cannot be read ({why}).") from None
    return protocol.Scenario(
        file=str(file.absolute()),
        host=target.base,
        folder=str(Path.cwd()),
        home=str(Path.home()),
        mine="" if target.here else target.host,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one request."""

    status: int
    seconds: float  # from the connection on
    server: str  # as the server calls itself


def first_look(
    target: Target,
    headers: dict[str, str] | None = None,
    *,
    insecure: bool = False,
    whatever: bool = False,
) -> Answer:
    """Ask once. Failed says, in a sentence, what stands in the way: nobody, no HTTP, a certificate
    that nobody vouches for, and, unless `whatever` it answers is fine, a redirect, a refusal, an
    error."""
    begin = time.perf_counter()
    try:
        if target.secure:
            context = ssl.create_default_context()
            if insecure:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                target.host, target.port, timeout=ANSWER_S, context=context
            )
        else:
            connection = http.client.HTTPConnection(target.host, target.port, timeout=ANSWER_S)
        try:
            connection.request("GET", target.page, headers=headers or {})
            with connection.getresponse() as response:
                _read(target, response, begin)
        finally:
            connection.close()
    except ssl.SSLCertVerificationError as error:
        raise Failed(
            f"{target.origin}: nobody vouches for its certificate ({error.verify_message}). If it "
            "is your own server's, say so: --insecure."
        ) from None
    except ConnectionRefusedError:
        raise Failed(f"{target.origin}: nobody listens there. Start your server first.") from None
    except TimeoutError:
        raise Failed(
            f"{target.url}: no answer within {ANSWER_S:.0f} s. A page so slow can't be measured "
            "here; ask for one that answers."
        ) from None
    except http.client.IncompleteRead:
        raise Failed(
            f"{target.url}: its answer breaks off in the middle. Mend that first; the server's own "
            "log may say why."
        ) from None
    except (http.client.HTTPException, ssl.SSLError) as error:
        raise Failed(
            f"{target.origin}: what answers there speaks another protocol "
            f"({type(error).__name__}). Is it the right port, and is https wanted?"
        ) from None
    except OSError as error:
        raise Failed(f"{target.origin}: {error.strerror or error}. Is the address right?") from None
    found = Answer(
        status=response.status,
        seconds=time.perf_counter() - begin,
        server=response.getheader("Server", ""),
    )
    problem = refusal(found, response.getheader("Location", ""))
    if problem and not whatever:
        raise Failed(f"{target.url}: {problem}")
    return found


def _read(target: Target, response: http.client.HTTPResponse, begin: float) -> None:
    """Read an answer to its end. IncompleteRead where it breaks off."""
    size = 0
    while size < MOST_BODY and (part := response.read1()):
        size += len(part)
        if time.perf_counter() - begin > ANSWER_S:
            raise Failed(
                f"{target.url}: the answer begins and doesn't end within {ANSWER_S:.0f} s, as a "
                "stream of events would. Ask for a page that ends."
            )
    if size < MOST_BODY and response.length:
        raise http.client.IncompleteRead(b"", response.length)


def refusal(found: Answer, location: str = "") -> str:
    """Say why an answer isn't one to be measured; "" where it is."""
    if 200 <= found.status < 300:
        return ""
    if 300 <= found.status < 400:
        where = f" to {location[:200]}" if location else ""
        return f"answers {found.status}, sends on{where}. Give the address where it ends."
    if found.status in (401, 403):
        return (
            f"answers {found.status}: it wants to know who asks. Put the header with your token or "
            "cookie into a file and give that: --header @file."
        )
    if found.status == 429:
        return "answers 429: it refuses more requests for now. Lift its limit for this machine."
    kind = "the request is wrong" if found.status < 500 else "the server fails"
    return f"answers {found.status}: {kind}. Mend that first; an error is no answer to measure."


def read_headers(given: str) -> dict[str, str]:
    """Read headers, a `Name: value` a line, from `@file`. Arguments of a command are seen by
    everybody on a machine, so a secret never stands in one. Unusable for anything else."""
    if not given.startswith("@"):
        raise Unusable(
            "--header takes a file, since everybody on this machine sees what a command was given: "
            "write `Authorization: …` into a file and give --header @file."
        )
    try:
        text = Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise Unusable(f"--header {given}: cannot be read ({type(error).__name__}).") from None
    headers = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = line.partition(":")
        if not colon or not name.strip() or any(letter in name for letter in " \t"):
            raise Unusable(f"--header {given}: a line without `Name: value`. Write one a line.")
        headers[name.strip()] = value.strip()
    if not 0 < len(headers) <= MOST_HEADERS:
        raise Unusable(f"--header {given}: holds no header, or over {MOST_HEADERS}.")
    return headers
