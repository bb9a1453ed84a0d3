"""A handler of the book's server: the page *My progress* reads and writes the reader's own file.

GET gives what is kept, its tag, the file's name and what is to be said of it. PUT replaces all of
it: who has read another tag than the file has by then is told so (409), and reads it again, so
that nothing which a kernel or another page has kept meanwhile is lost.
"""

import asyncio
import hashlib

import msgspec
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado import web

from labs import progress_log
from labs.recordings import last_run
from labs.records.progress import MOST_BYTES, Progress, parsed, written


class Changed(Exception):
    """Says that the file isn't any more what the page has read."""


class ProgressHandler(APIHandler):
    """Serves one file of the reader, to whoever may read and write the server's files."""

    auth_resource = "contents"

    @web.authenticated
    @authorized
    async def get(self) -> None:
        kept, said = await asyncio.to_thread(progress_log.read)
        answer = {"kept": kept, "tag": tag(kept), "file": str(progress_log.path()), "said": said}
        self.set_header("Cache-Control", "no-store")
        await self.finish(msgspec.json.encode(answer))

    @web.authenticated
    @authorized
    async def put(self) -> None:
        if len(self.request.body) > MOST_BYTES:
            raise web.HTTPError(413, f"It is larger than {MOST_BYTES / 2**20:.0f} MiB.")
        if (kept := parsed(self.request.body, Progress)) is None:
            raise web.HTTPError(400, "This is no record of progress.")
        read = self.request.headers.get("If-Match", "")
        try:
            await asyncio.to_thread(replace, kept, read)
        except Changed:
            raise web.HTTPError(409, "The file has changed. Read it again.") from None
        except OSError as error:
            said = f"{progress_log.path()}: cannot be written ({error.strerror or error})."
            raise web.HTTPError(507, said) from None
        self.set_status(204)


def replace(kept: Progress, read: str) -> None:
    """Put new content in the file's place. Changed where its tag is not the one that was read;
    OSError where it cannot be written."""

    def if_as_read(before: Progress) -> Progress:
        if tag(before) != read:
            raise Changed
        return kept

    progress_log.change(if_as_read)
    if kept.empty:
        last_run.forget()


def tag(kept: Progress) -> str:
    """Give the same text for the same content, and another one for another."""
    return hashlib.sha256(written(kept)).hexdigest()
