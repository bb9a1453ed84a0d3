"""Locust workers that a reader starts on more machines."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from labs.records.errors import Unusable, whole

MOST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """A number of workers, and the address of this machine at which Locust's master waits for them.
    Unusable for one that is no address."""

    number: int
    master: str = "127.0.0.1"

    def __post_init__(self) -> None:
        whole("expect-workers", self.number, 1, MOST, "Give how many workers you start.")
        try:
            ipaddress.ip_address(self.master)
        except ValueError:
            raise Unusable(
                f"--master-bind-host {self.master}: give an address of this machine that the "
                "workers' machines reach, such as 192.168.1.10."
            ) from None

    @property
    def alone(self) -> bool:
        """Whether only workers of this machine can come."""
        return ipaddress.ip_address(self.master).is_loopback

    def __str__(self) -> str:
        return "a worker" if self.number == 1 else f"{self.number} workers"

    def line(self) -> str:
        """The command that starts one of the workers, in a copy of this book."""
        command = ".venv/bin/python -m locust -f workloads/users.py --worker"
        return f"{command} --master-host {self.master}"

    def options(self) -> list[str]:
        """The options that make a Locust the workers' master."""
        return ["--master", f"--master-bind-host={self.master}", f"--expect-workers={self.number}"]
