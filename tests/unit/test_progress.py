"""How far a run is: whatever happens in it, the bar goes forward only, and time is left."""

from hypothesis import given
from hypothesis import strategies as st

from labs.measure.progress import LEAST_S, Pace
from labs.panel.run_bar import RunBar

SECONDS = st.floats(0.0, 300.0)
HAPPENINGS = st.lists(
    st.tuples(st.sampled_from(("time", "expect", "measuring", "stage")), SECONDS),
    max_size=40,
)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@given(promised_s=SECONDS, waited_s=SECONDS, happenings=HAPPENINGS)
def test_the_bar_goes_forward_and_is_full_only_at_the_end(
    promised_s: float, waited_s: float, happenings: list[tuple[str, float]]
) -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.promise(promised_s)
    told = [pace.told()]
    clock.now += waited_s  # another page measures
    told.append(pace.told())
    assert all(each.fraction == 0 and each.seconds_left == promised_s for each in told)
    pace.begin()
    for what, seconds in happenings:
        if what == "time":
            clock.now += seconds
        elif what == "expect":
            pace.expect(seconds)
        else:
            pace.stage(what, quiet_s=seconds if what == "measuring" else None)
        told.append(pace.told())
        assert told[-1].seconds_left >= max(LEAST_S, told[-1].quiet_s or 0.0)
    fractions = [each.fraction for each in told]
    assert fractions == sorted(fractions) and fractions[-1] < 1
    pace.end()
    assert pace.told().fraction == 1 and pace.told().seconds_left == 0


def test_a_window_that_is_extended_has_time_left() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.promise(10.0)
    pace.begin()
    clock.now += 8.0
    assert pace.told().fraction == 0.8
    pace.expect(20.0)  # not 2
    pace.stage("8 users again", quiet_s=15.0)
    clock.now += 5.0
    told = pace.told()
    assert told.seconds_left == 15 and told.quiet_s == 10 and told.fraction == 0.8


def test_while_another_measures_nothing_is_said_of_the_end() -> None:
    pace, bar = Pace(Clock()), RunBar(lambda: None, lambda: None)
    pace.promise(26.0)
    pace.stage("waiting")
    bar.began()
    bar.progress(pace.told())
    assert "waiting; then about 26\u00a0s" in bar._words.value
    pace.begin()
    pace.stage("starting the server")
    bar.progress(pace.told())
    assert "starting the server, 26\u00a0s left" in bar._words.value
