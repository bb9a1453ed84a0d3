"""A kernel whose page was left in the midst of code. Its sockets are closed by then, and that it
cannot answer any more is no news to whoever reads the terminal of `labs read`."""

from __future__ import annotations

import logging

import zmq


class Answered(logging.Filter):
    """Lets everything pass but an answer that found its socket closed."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not (isinstance(error, zmq.ZMQError) and error.errno == zmq.ENOTSOCK)


def quiet() -> None:
    """Of the kernel that this runs in."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        kernel.log.addFilter(Answered())
