"""Numbers within what can be measured: a file with others is refused when it is read. Pure."""

from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta

MOST = 1e15  # of anything: a petabyte, or a thousand years of requests
LEAST = 1e-100  # but for nought: less is nothing that a difference of measurements leaves
MOST_CORES = 4096  # as many as a server may ask for
MOST_USERS = 4096  # one Locust process may open 10,000 files; a laptop serves fewer

NotNegative = Annotated[int, Meta(ge=0)]  # how many
Users = Annotated[int, Meta(ge=1, le=MOST_USERS)]
Cores = Annotated[int, Meta(ge=1, le=MOST_CORES)]
Amount = Annotated[float, Meta(ge=0.0)]  # seconds that something took, or requests a second
Speed = Annotated[float, Meta(gt=0.0)]
Ratio = Annotated[float, Meta(gt=0.0, le=1000.0)]  # of two speeds of one machine
Spent = Annotated[float, Meta(ge=0.0, le=60.0)]  # seconds: Locust gives up after so many


def unbounded(data: Any) -> Iterator[float]:
    """Find the numbers of a decoded JSON that no measurement gives, whatever they stand for."""
    left = [data]
    while left:
        match left.pop():
            case dict() as fields:
                left.extend(fields.values())
            case list() as values:
                left.extend(values)
            case int() | float() as number if number and not LEAST <= abs(number) <= MOST:
                yield number
