"""The browser that shows the page of a lab: painting is work, done by the machine that is measured.

It is found by its connections. A page's kernel is the child of the book's server; whoever is
connected to that server's port, from this machine, belongs to the browser, and so does its whole
tree of processes. A browser on another machine, or on the other side of WSL2 or a hub's proxy, is
not seen, and where no page is open, as on the command line, there is none to see.
"""

import os
from typing import Any

import psutil

from labs.host.listeners import Family, ours

SERVER = "JPY_PARENT_PID"  # by which Jupyter tells a kernel's process who has started it


def browser() -> Family:
    """List the browsers that have a page of this kernel's server open, each below its topmost
    process; empty where none is to be seen, or where this is no kernel. Looks through all of this
    user's processes: some 50 ms."""
    if os.environ.get(SERVER) != str(os.getppid()):
        return Family()
    try:
        server = psutil.Process(os.getppid())
        doors = {each.laddr.port for each in _tcp(server) if each.status == psutil.CONN_LISTEN}
    except psutil.Error:
        return Family()
    known, found = ours(), set()
    for process in psutil.process_iter() if doors else ():
        if process.pid in known:
            continue
        try:
            if any(_here(each) and each.raddr.port in doors for each in _tcp(process)):
                found.add(_topmost(process, known).pid)
        except psutil.Error:
            continue  # it has ended, or is somebody else's
    return Family(sorted(found))


def _tcp(process: psutil.Process) -> Any:
    return process.net_connections("tcp")


def _here(connection: Any) -> bool:
    there = connection.raddr.ip if connection.raddr else ""
    return connection.status == psutil.CONN_ESTABLISHED and there in ("127.0.0.1", "::1")


def _topmost(process: psutil.Process, known: set[int]) -> psutil.Process:
    """The browser itself: its connections belong to one of its many processes, which all run the
    same program. Whoever started us too is no part of it."""
    while (parent := process.parent()) and parent.pid not in known:
        if parent.exe() != process.exe():
            break
        process = parent
    return process
