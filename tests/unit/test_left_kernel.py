"""What a kernel says in the terminal when its page was left."""

from __future__ import annotations

import logging

import pytest
import zmq

from labs.site.left_kernel import Answered


def test_an_answer_to_nobody_is_no_news_and_every_other_error_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = logging.getLogger("a kernel")
    log.addFilter(Answered())
    with zmq.Context() as context:
        closed = context.socket(zmq.PAIR)
        closed.close()
        for error in (lambda: closed.send(b""), lambda: 1 / 0, lambda: int("")):
            try:
                error()
            except Exception:
                log.exception("Exception in message handler:")
    log.error("and this")
    assert [type(record.exc_info[1]) for record in caplog.records if record.exc_info] == [
        ZeroDivisionError,
        ValueError,
    ]
    assert caplog.messages[-1] == "and this"
