"""Numbers that are never below zero: a file in which they are is refused when it is read. Pure."""

from typing import Annotated

from msgspec import Meta

NotNegative = Annotated[int, Meta(ge=0)]  # how many
Cores = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0.0)]  # seconds that something took, or requests a second
