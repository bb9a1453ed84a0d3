"""Locust's users as its manual shows them, to be set against other tools."""

from __future__ import annotations

import os

from locust import FastHttpUser, task

PAGE = os.environ.get("WALL_TIME_PAGE", "/")


class PlainUser(FastHttpUser):
    """Asks again as soon as it is answered."""

    @task
    def ask(self) -> None:
        self.client.get(PAGE)
