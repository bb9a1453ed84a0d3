"""Widgets that the page hears of when all of them are as they shall be, each in one message.

ipywidgets tells of each widget as soon as it is made, and then, one after the other, of whatever is
set in it: a third of all that is told while a panel is made.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import comm
from comm.base_comm import BaseComm
from IPython.core.getipython import get_ipython

NAMED = re.compile(r"IPY_MODEL_(\w+)")  # another widget, in the state of one


class _Waiting:
    """A widget's way to the page, which has not heard of it yet."""

    def __init__(self, way: BaseComm, lock: threading.RLock, opening: dict[str, Any]) -> None:
        self._way = way
        self._lock = lock
        self._opening = opening
        self._later: list[tuple[str, dict[str, Any]]] = []  # what is no state
        self._told = False
        # A widget tells nothing by a way without a kernel, and ipykernel's have none at first.
        kernel = getattr(get_ipython(), "kernel", self)
        vars(way).update(publish_msg=self._publish, kernel=kernel)

    def _publish(self, msg_type: str, **said: Any) -> None:
        data = said.get("data") or {}
        with self._lock:
            if self._told:
                type(self._way).publish_msg(self._way, msg_type, **said)
            elif data.get("method") == "update" and not (said.get("buffers") or self._later):
                self._opening["data"]["state"].update(data["state"])
            else:
                self._later.append((msg_type, said))

    def tell(self, waiting: dict[str, _Waiting]) -> None:
        """After those that it names: a page knows no others. Of a widget that was closed meanwhile
        nobody hears."""
        with self._lock:
            if self._told:
                return
            self._told = True
            for name in NAMED.findall(str(self._opening["data"]["state"])):
                if name in waiting:
                    waiting[name].tell(waiting)
            if not self._later or self._later[-1][0] != "comm_close":
                self._way.open(**self._opening)
                for msg_type, said in self._later:
                    self._way.publish_msg(msg_type, **said)
            del vars(self._way)["publish_msg"]


@contextmanager
def at_once() -> Iterator[None]:
    """Of what is made meanwhile the page hears at the end."""
    create, lock = comm.create_comm, threading.RLock()
    waiting: dict[str, _Waiting] | None = {}

    def created(*given: Any, **about: Any) -> BaseComm:
        with lock:
            if waiting is None or "data" not in about:  # of another thread, or opened by the page
                return create(*given, **about)
            opening = {part: about.pop(part, None) for part in ("data", "metadata", "buffers")}
            way = create(*given, primary=False, **about)
            way.primary = True
            comm.get_comm_manager().register_comm(way)  # for it may be closed
            waiting[way.comm_id] = _Waiting(way, lock, opening)
            return way

    comm.create_comm = created
    try:
        yield
    finally:
        with lock:
            comm.create_comm = create
            told = waiting or {}
            waiting = None
            for each in told.values():
                each.tell(told)
