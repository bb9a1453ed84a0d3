"""Causes that are injected for real, and named: those that a machine with other work on it can
tell. All of them, many times over, are for `bench.causes`."""

import pytest

from bench.causes import INJECTIONS, named
from labs.kinds.sweep.record import Recording

pytestmark = [pytest.mark.performance, pytest.mark.usefixtures("calibrated_in_passing")]


def injected(name: str) -> Recording:
    injection = INJECTIONS[name]
    if why := injection.lacking():
        pytest.skip(why)
    return injection.injected()


@pytest.mark.parametrize(
    "name",
    [
        "nothing, waits",
        *(
            pytest.param(each, marks=pytest.mark.extended)
            for each in ("uneven split", "slow backend", "blocked loop", "short listen queue")
        ),
    ],
)
def test_what_was_injected_is_named_and_nothing_where_nothing_was(name: str) -> None:
    assert named(injected(name)) == INJECTIONS[name].cause


@pytest.mark.extended
@pytest.mark.parametrize("name", ["other programs", "affinity"])
def test_changed_surroundings_are_told_of_the_level(name: str) -> None:
    last = injected(name).points[-1]
    assert INJECTIONS[name].cause in [check.name for check in last.checks]
