"""Locust as its manual shows it, for bench.load to be set against."""

from locust import FastHttpUser, task


class PlainUser(FastHttpUser):
    """Asks again as soon as it is answered."""

    @task
    def ask(self) -> None:
        self.client.get("/?loops=0&wait=0.000000")  # as our users ask
