"""The page's way to Python without Nagle's rule.

By that rule a small message waits until the one before it is acknowledged. A browser keeps its
acknowledgements back for some 40 ms, and each piece of code would be answered that much later,
because an answer begins with two small messages.
"""

import asyncio

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Jupyter's own connection, but whatever is said goes at once."""

    def connect(self) -> asyncio.Future[None] | None:  # type: ignore[override]  # as Jupyter's
        """Turn Nagle's rule off when the page's socket is open."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
