"""A kernel that has done its imports before anybody asks for it.

A cold kernel that imports `labs`, ipywidgets and plotly takes two to three seconds, a warm one
answers at once. One is kept ready; when it is handed out, the next is started.
"""

import asyncio
import logging
from typing import Any

from jupyter_server.utils import ensure_async

READY_TIMEOUT_S = 60.0
NEVER_S = 10 * 365 * 86400  # after which a server ends a kernel that is not to be ended
NEXT_AFTER_S = 2.0  # so that warming the next does not slow the page that took this one


class WarmKernel:
    """Keeps one kernel ready. `kernels` is the server's kernel manager."""

    def __init__(self, kernels: Any, code: str, log: logging.Logger) -> None:
        self._kernels = kernels
        self._code = code
        self._log = log
        self._launching: asyncio.Future[str] | None = None  # the first part of warming
        self._warming: asyncio.Task[str] | None = None
        self._next: asyncio.TimerHandle | None = None

    def warm(self) -> None:
        """Start a kernel, unless one is ready or on its way."""
        last = self._warming
        if last and last.done() and (last.exception() or last.result() not in self._kernels):
            self._warming = None
        if self._warming is None:
            self._warming = asyncio.ensure_future(self._start())

    async def take(self) -> str:
        """The id of a running kernel, now the caller's. Raises what starting one raises, twice."""
        self.warm()
        assert self._warming is not None
        warming, self._warming = self._warming, None
        if self._next is not None:
            self._next.cancel()
        self._next = asyncio.get_running_loop().call_later(NEXT_AFTER_S, self.warm)
        try:
            kernel_id = await warming
        except Exception as error:  # somebody took its port, or it had no room just then
            self._log.warning("Starting a kernel once more: %s", error)
            return await self._start()
        if kernel_id in self._kernels:
            return kernel_id
        return await self._start()  # it died while it waited

    async def close(self) -> None:
        """Start no kernel any more, and end the one on its way: nobody has used it yet."""
        if self._next is not None:
            self._next.cancel()
        if self._warming is None or self._launching is None or self._warming.done():
            return
        await asyncio.wait([self._launching])  # before that, there is nothing to end
        self._warming.cancel()
        await asyncio.gather(self._warming, return_exceptions=True)
        if self._launching.exception() is None and self._launching.result() in self._kernels:
            # At once: a kernel that is still importing answers an interrupt with a traceback.
            await ensure_async(self._kernels.shutdown_kernel(self._launching.result(), now=True))

    async def _start(self) -> str:
        started = ensure_async(self._kernels.start_kernel(path=""))
        launching: asyncio.Future[str] = asyncio.ensure_future(started)
        self._launching = launching
        kernel_id = await asyncio.shield(launching)
        kernel = self._kernels.get_kernel(kernel_id)
        kernel.kernel_spec.metadata["cull_idle_timeout"] = NEVER_S  # it waits
        client = kernel.client()
        client.start_channels(hb=False)  # its thread complains when it is stopped early
        try:
            await client.wait_for_ready(timeout=READY_TIMEOUT_S)
            reply = await client.execute(
                self._code, silent=True, reply=True, timeout=READY_TIMEOUT_S
            )
            if reply["content"]["status"] != "ok":
                self._log.warning("Warming a kernel: %s", reply["content"]["evalue"])
        except Exception:  # it is nobody's: too slow to answer, or dead
            if kernel_id in self._kernels:
                await ensure_async(self._kernels.shutdown_kernel(kernel_id, now=True))
            raise
        finally:
            client.stop_channels()
        return kernel_id
