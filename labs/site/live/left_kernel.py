"""A kernel whose page or server is left in the midst of a message. That its sockets are closed by
then, or that it was interrupted before it was ended, is no news to whoever reads the terminal of
`labs read`."""

from __future__ import annotations

import logging

import zmq

INTERRUPTED = "KeyboardInterrupt caught in kernel"  # outside of code, which tells of its own


class Left(logging.Filter):
    """Lets everything pass but an answer that found its socket closed, and an interrupt."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        unsent = isinstance(error, zmq.ZMQError) and error.errno == zmq.ENOTSOCK
        return not unsent and not record.getMessage().startswith(INTERRUPTED)


def quiet() -> None:
    """Filter what the kernel that this runs in logs."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        kernel.log.addFilter(Left())
