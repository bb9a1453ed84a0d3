"""A reader's own locustfile, as the scenario of a load."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labs.load.target import Target
from labs.records.errors import Unusable
from workloads import protocol


@dataclass(frozen=True, slots=True)
class Scenario:
    """A locustfile. Building one looks whether it is there: Unusable where it isn't. What stands in
    it is seen by Locust alone, which says at its start what is wrong."""

    file: Path

    def __post_init__(self) -> None:
        try:
            self.file.read_bytes()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise Unusable(f"--locustfile {self.file}: cannot be read ({why}).") from None

    def told(self, target: Target) -> protocol.Scenario:
        """Tell a Locust where it is at home, and whom it may ask."""
        return protocol.Scenario(
            file=str(self.file.absolute()),
            host=target.base,
            folder=str(Path.cwd()),
            home=str(Path.home()),
            mine="" if target.here else target.host,
        )
