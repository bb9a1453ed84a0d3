"""What a kernel says in the terminal when its page was left."""

import logging

import pytest
import zmq
from ipykernel.kernelbase import Kernel
from jupyter_client.session import Session
from waiting import awaited

from labs.site.live.left_kernel import Left


def test_an_answer_to_nobody_is_no_news_and_every_other_error_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = logging.getLogger("a kernel")
    log.addFilter(Left())
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


class Interrupted(Kernel):
    """Gets the server's last signal while it answers."""

    async def kernel_info_request(self, stream: object, ident: object, parent: object) -> None:
        raise KeyboardInterrupt

    def _publish_status(self, *_: object, **__: object) -> None:
        """To nobody."""

    def _publish_status_and_flush(self, *_: object, **__: object) -> None:
        """To nobody."""


def test_an_interrupt_between_two_cells_is_no_news(caplog: pytest.LogCaptureFixture) -> None:
    """A server interrupts its kernels before it ends them, whatever they are at."""
    session = Session(key=b"a secret")
    kernel = Interrupted(session=session)
    kernel.log = logging.getLogger("an interrupted kernel")
    kernel.log.addFilter(Left())
    asked = session.serialize(session.msg("kernel_info_request"))
    with zmq.Context():
        awaited(kernel.dispatch_shell([zmq.Message(part) for part in asked]), 10)
    assert not caplog.messages
