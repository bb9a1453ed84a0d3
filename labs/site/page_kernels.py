"""The kernels that pages were given, and their end when a page's goodbye got lost.

A killed tab leaves a kernel of about 120 MB. Kernels of other notebooks are none of our business:
the server's own settings say what happens to those.
"""

import contextlib
from datetime import UTC, datetime
from typing import Any

from jupyter_server.utils import ensure_async
from tornado.web import HTTPError


class PageKernels:
    """Looks after them. `kernels` and `sessions` are the server's managers."""

    def __init__(self, kernels: Any, sessions: Any, left_after_s: float) -> None:
        self._left_after_s = left_after_s
        self._kernels = kernels
        self._sessions = sessions
        self._given: dict[str, str] = {}  # the kernel's id by the session's

    def add(self, session: str, kernel: str) -> None:
        """A page has got this kernel."""
        self._given[session] = kernel

    async def cull(self) -> None:
        """End the sessions whose page has not been there for so long; call it now and then."""
        for session, kernel in list(self._given.items()):
            if kernel not in self._kernels:
                del self._given[session]
            elif self._left(kernel):
                del self._given[session]
                # While we looked, its page said goodbye after all.
                with contextlib.suppress(HTTPError, KeyError):
                    await ensure_async(self._sessions.delete_session(session))

    def _left(self, kernel: str) -> bool:
        """Whether nobody is connected to it, it does nothing, and has not for long."""
        model = self._kernels.kernel_model(kernel)
        if model["connections"] or model["execution_state"] == "busy":
            return False
        idle = datetime.now(UTC) - self._kernels.get_kernel(kernel).last_activity
        return bool(idle.total_seconds() > self._left_after_s)
