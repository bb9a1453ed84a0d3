"""What a page hears of widgets that are made together."""

import contextlib
from collections.abc import Iterator
from typing import Any

import comm
import ipywidgets
import pytest
from comm.base_comm import BaseComm

from labs.panel.at_once import at_once


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str, Any]]]:
    """Kind, widget and data of each message."""
    messages: list[tuple[str, str, Any]] = []

    class Wire(BaseComm):
        kernel: object = None  # until something is told, as ipykernel's

        def publish_msg(self, msg_type: str, data: Any = None, *_: Any, **__: Any) -> None:
            self.kernel = self
            messages.append((msg_type, self.comm_id, data))

    monkeypatch.setattr(comm, "create_comm", Wire)
    yield messages
    ipywidgets.Widget.close_all()


def test_each_is_told_once_as_it_is_in_the_end(told: list[tuple[str, str, Any]]) -> None:
    with at_once():
        words = ipywidgets.HTML("first")
        words.value, words.layout.display = "last", "none"
        box = ipywidgets.VBox().add_class("wt-panel")
        late = ipywidgets.HTML("made after what it stands in")
        box.children = [words, late]
        ipywidgets.HTML("nobody sees it").close()
        assert told == []
    assert {kind for kind, *_ in told} == {"comm_open"}
    states = {name: data["state"] for _, name, data in told}
    assert states[words.model_id]["value"] == "last"
    assert states[words.layout.model_id]["display"] == "none"
    assert states[box.model_id]["_dom_classes"] == ("wt-panel",)
    assert "nobody sees it" not in [state.get("value") for state in states.values()]
    order = [name for _, name, _ in told]
    layout, inner, later, outer = (each.model_id for each in (words.layout, words, late, box))
    assert order.index(layout) < order.index(inner) < order.index(outer)
    assert order.index(later) < order.index(outer)

    words.value = "later"
    assert told[-1][2]["state"] == {"value": "later"}
    box.send({"kind": "news"})
    assert told[-1][2]["content"] == {"kind": "news"}


def test_one_stands_for_all_layouts_in_which_nothing_is_set_until_something_is(
    told: list[tuple[str, str, Any]],
) -> None:
    with at_once():
        words, more, hidden = ipywidgets.HTML("a"), ipywidgets.HTML("b"), ipywidgets.HTML("c")
        hidden.layout.display = "none"
    states = {name: data["state"] for _, name, data in told}
    named = [states[each.model_id]["layout"] for each in (words, more, hidden)]
    assert named[0] == named[1] != named[2] == f"IPY_MODEL_{hidden.layout.model_id}"
    stand_in = named[0].removeprefix("IPY_MODEL_")
    assert stand_in in states and states[stand_in]["display"] is None
    assert not {words.layout.model_id, more.layout.model_id} & set(states)

    told.clear()
    words.layout.display = "none"  # its own: the other's stays as it is
    (opened, moved) = told
    assert opened[:2] == ("comm_open", words.layout.model_id)
    assert opened[2]["state"]["display"] == "none"
    assert moved[1:] == (
        words.model_id,
        {"method": "update", "state": {"layout": f"IPY_MODEL_{words.layout.model_id}"}},
    )
    words.layout.display = ""
    assert told[2:] == [("comm_msg", words.layout.model_id, told[2][2])]
    assert told[2][2]["state"] == {"display": ""}


def test_a_widget_that_tells_all_of_itself_names_what_the_page_knows(
    told: list[tuple[str, str, Any]],
) -> None:
    """As it does when the page asks, after a connection that was cut."""
    with at_once():
        words, _ = ipywidgets.HTML("a"), ipywidgets.HTML("b")
    words.send_state()
    known = {name for kind, name, _ in told if kind == "comm_open"}
    state = told[-1][2]["state"]
    assert {state[each].removeprefix("IPY_MODEL_") for each in ("layout", "style")} <= known


def test_what_is_no_state_comes_after_the_widget_in_its_order(
    told: list[tuple[str, str, Any]],
) -> None:
    with at_once():
        words = ipywidgets.HTML("first")
        words.send({"kind": "news"})
        words.value = "after the news"
    mine = [(kind, data) for kind, name, data in told if name == words.model_id]
    assert [kind for kind, _ in mine] == ["comm_open", "comm_msg", "comm_msg"]
    assert mine[0][1]["state"]["value"] == "first"
    assert mine[1][1]["method"] == "custom" and mine[2][1]["state"] == {"value": "after the news"}


def test_a_failure_leaves_ways_as_they_were(told: list[tuple[str, str, Any]]) -> None:
    way = comm.create_comm
    with contextlib.suppress(ZeroDivisionError), at_once():
        ipywidgets.HTML("made before")
        raise ZeroDivisionError
    assert comm.create_comm is way
    assert told[-1][2]["state"]["value"] == "made before"
