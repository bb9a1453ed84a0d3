"""The command `labs attach`: its arguments, and what it prints of a reader's own server."""

from __future__ import annotations

import argparse
import sys

from labs.records.format import number
from labs.terminal import destination, performed, say, write


def add_attachment(to: argparse.ArgumentParser) -> None:
    """Add the arguments of an attachment: an address, and what is known of it."""
    to.add_argument("url", metavar="URL", help="of your server, such as http://127.0.0.1:8000/")
    to.add_argument("--users", default="", metavar="1,2,4,8", help="levels; found if not given")
    to.add_argument("--most", default="512", metavar="N", help="users at most (512)")
    to.add_argument("--workers", default=None, metavar="N", help="requests it holds at once")
    to.add_argument("--think", default="0", metavar="S", help="mean think time of a user (0)")
    to.add_argument("--locustfile", default="", metavar="FILE", help="users of your own, as it is")
    to.add_argument("--expect-workers", default=None, metavar="N", help="Locust workers that ask")
    to.add_argument("--master-bind-host", default="127.0.0.1", metavar="ADDRESS", help="for them")
    to.add_argument("--header", default="", metavar="@FILE", help="headers to send, a line each")
    to.add_argument("--host-is-mine", default="", metavar="HOST", help="another machine of yours")
    to.add_argument("--insecure", action="store_true", help="take a certificate on trust")
    to.add_argument("--json", metavar="FILE", help="write the result there; - is standard output")


def attach(asked: argparse.Namespace) -> int:
    """Attach to the reader's server; print what was found, the levels and the verdict."""
    from labs.kinds.attach import report
    from labs.kinds.attach.run import AttachLab
    from labs.kinds.attach.show import show
    from labs.kinds.sweep.report import table
    from labs.load.target import Target, read_headers
    from labs.load.workers import Workers

    Target(asked.url, mine=asked.host_is_mine)  # "" would be the book's own server
    workers = None
    if asked.expect_workers is not None:
        workers = Workers(number=number(asked.expect_workers), master=asked.master_bind_host)  # type: ignore[arg-type]
    lab = AttachLab(
        asked.url,
        users=[number(text) for text in asked.users.split(",")] if asked.users else (),  # type: ignore[misc]
        most=number(asked.most),  # type: ignore[arg-type]
        think_time_s=number(asked.think),  # type: ignore[arg-type]
        workers=None if asked.workers is None else number(asked.workers),  # type: ignore[arg-type]
        headers=read_headers(asked.header) if asked.header else None,
        mine=asked.host_is_mine,
        insecure=asked.insecure,
        locustfile=asked.locustfile,
        generators=workers,
    )
    if workers:
        print(
            f"Waiting for {workers}. In a copy of this book:\n{workers.line()}",
            file=sys.stderr,
        )
    out = destination(asked.json)
    attached, code = performed(lab)
    if attached is not None:
        who = f"{report.found_text(attached.run.found)}\n{report.costs_text(attached)}"
        say(out, who, table(show.table(attached), report.HEADS), report.text(attached))
        write(out, report.joined(attached))
    return code
