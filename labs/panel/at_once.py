"""Widgets that the page hears of when all of them are as they shall be, each in one message.

ipywidgets tells of each widget as soon as it is made, and then, one after the other, of whatever is
set in it: a third of all that is told while a panel is made. Half of the rest would be layouts and
styles in which nothing is set. The page hears of one of each kind, which stands for all of them,
and of a widget's own when something is set in it.
"""

from __future__ import annotations

import re
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import comm
from comm.base_comm import BaseComm
from IPython.core.getipython import get_ipython

NAME = "IPY_MODEL_"  # another widget, in the state of one
NAMED = re.compile(rf"{NAME}(\w+)")


class _Waiting:
    """A widget's way to the page, which has not heard of it yet."""

    def __init__(self, way: BaseComm, lock: threading.RLock, opening: dict[str, Any]) -> None:
        self._way = way
        self._lock = lock
        self.opening = opening
        self._later: list[tuple[str, dict[str, Any]]] = []  # what is no state
        self._told = False
        self._plain = False  # another one stands for it
        self._owners: Sequence[tuple[_Waiting, str]] = ()  # then: of what, and what it is to them
        self._own: dict[str, _Waiting] = {}  # what it has for which another one stands
        # A widget tells nothing by a way without a kernel, and ipykernel's have none at first.
        kernel = getattr(get_ipython(), "kernel", self)
        vars(way).update(publish_msg=self._publish, kernel=kernel)

    @property
    def state(self) -> dict[str, Any]:
        """As the page will hear of it."""
        state: dict[str, Any] = self.opening["data"]["state"]
        return state

    def _publish(self, msg_type: str, **said: Any) -> None:
        data = said.get("data") or {}
        with self._lock:
            if self._told:
                if msg_type != "comm_open":
                    for trait in self._own.keys() & data.get("state", {}).keys():
                        self._own.pop(trait).come_forward()
                type(self._way).publish_msg(self._way, msg_type, **said)
            elif data.get("method") == "update" and not (said.get("buffers") or self._later):
                self.state.update(data["state"])
                if self._plain:
                    self.come_forward()
            else:
                self._later.append((msg_type, said))

    def stand_back(self, stand_in: str, owners: Sequence[tuple[_Waiting, str]]) -> None:
        """Whatever has it names that one instead."""
        self._plain, self._owners = True, owners
        for owner, trait in owners:
            owner.state[trait] = NAME + stand_in
            owner._own[trait] = self

    def come_forward(self) -> None:
        """Something was set in it, or it is named: nobody can stand for it any more."""
        if self._told:
            return
        self._plain = False
        self.tell({})
        for owner, trait in self._owners:
            if owner._own.pop(trait, None):
                state = {trait: NAME + self._way.comm_id}
                owner._publish("comm_msg", data={"method": "update", "state": state})

    def tell(self, waiting: Mapping[str, _Waiting]) -> None:
        """After those that it names: a page knows no others. Of a widget that was closed meanwhile
        nobody hears."""
        with self._lock:
            if self._told or self._plain:
                return
            self._told = True
            for name in NAMED.findall(str(self.state)):
                if name in waiting:
                    waiting[name].tell(waiting)
            if not self._later or self._later[-1][0] != "comm_close":
                self._way.open(**self.opening)
                for msg_type, said in self._later:
                    self._way.publish_msg(msg_type, **said)
            if not self._own:
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
            _share(told, create)
            for each in told.values():
                each.tell(told)


def _share(told: Mapping[str, _Waiting], create: Callable[..., BaseComm]) -> None:
    """Have one stand for all of a kind in which nothing is set."""
    plain: dict[str, list[str]] = defaultdict(list)
    owners: dict[str, list[tuple[_Waiting, str]]] = defaultdict(list)
    for name, each in told.items():
        if _is_plain(each.state):
            plain[each.state["_model_name"]].append(name)
        for trait, value in each.state.items():
            if isinstance(value, str) and value.startswith(NAME):
                owners[value.removeprefix(NAME)].append((each, trait))
    for names in plain.values():
        if len(names) > 1:
            stand_in = uuid.uuid4().hex
            create(target_name="jupyter.widget", comm_id=stand_in, **told[names[0]].opening)
            for name in names:
                told[name].stand_back(stand_in, owners[name])


def _is_plain(state: Mapping[str, Any]) -> bool:
    """Of a layout or a style in which nothing is set: a widget of any other kind has one."""
    return all(name.startswith("_") or value in (None, "") for name, value in state.items())
