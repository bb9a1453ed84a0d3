"""Labs at the scale of the machine: what cores bring stays in the picture on 2, 8 and 16 of them.

The runs are simulated: the model's throughputs in place of measured ones, and no load."""

from dataclasses import replace

import examples
import pytest
from chapters import labs
from msgspec import structs

from labs.analysis.scale import (
    BOOK_CORES,
    MOST_WORKERS,
    own,
    own_experiment,
    own_label,
    own_levels,
    own_parts,
    own_steps,
    why_scaled,
)
from labs.exercises import readings
from labs.kinds.comparison.record import Comparison
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.sweep.alt_text import sweep_alt
from labs.kinds.sweep.figure import Drawing, sweep_figure
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.kinds.timeline.run import TimelineLab
from labs.recordings import store
from labs.records.experiment import MOST_LEVELS, Experiment, Load, Server, Workload
from labs.records.results import Machine, Prediction
from labs.records.steps import Step

SCALES = (2, 8, 16)
MOST_PSS = 6 * 2**20  # of a worker, generously


def machine(cores: int) -> Machine:
    return replace(
        examples.MACHINE,
        cores=cores,
        logical_cores=cores,
        physical_cores=cores,
        quota_cores=None,
        memory_bytes=cores * 2 * 2**30,
    )


def simulated(experiment: Experiment, cores: int) -> Recording:
    """A run as the model has it."""
    return examples.by_law(experiment, of=machine(cores))


def expected(experiment: Experiment, cores: int) -> Prediction:
    return simulated(experiment, cores).run.forecast


EVERY = labs()
OVER_USERS = (SweepLab, ComparisonLab)
LABS = {name: lab for name, lab in EVERY.items() if lab.scale.by_cores}
SWEEPS = {name: lab for name, lab in LABS.items() if isinstance(lab, SweepLab)}
COMPARISONS = {name: lab for name, lab in LABS.items() if isinstance(lab, ComparisonLab)}
WATCHING: TimelineLab = LABS["watching"]  # type: ignore[assignment]


@pytest.mark.parametrize("cores", SCALES)
@pytest.mark.parametrize("name", ["many-cores", "past-the-plateau"])
def test_the_knee_of_a_sweep_is_in_the_picture(name: str, cores: int) -> None:
    lab = SWEEPS[name].at_scale(cores)
    levels = expected(lab.experiment, cores).levels
    most_rps = levels[-1].bound_rps
    assert most_rps == pytest.approx(cores / lab.experiment.workload.cpu_s, rel=0.1)
    plateau = [level.users for level in levels if level.bound_rps > 0.99 * most_rps]
    assert levels[0].users <= cores  # it begins before the bend
    assert cores <= plateau[0] <= 1.5 * cores  # which is at the cores
    assert len(plateau) >= 3 and plateau[-1] >= 4 * cores  # and ends well beyond


# Of these parts users are to be the limit up to the last level: no knee is what they show.
ENDLESS = {
    "waiting-is-cheap": {""},
    "three-waits": {"constant", "exponential", "backend"},
    "threads": {"1 × 64", "4 × 16"},
    "one-blocking-call": {"awaits"},
    "the-launch": {"100 threads"},
}


@pytest.mark.parametrize("cores", SCALES[1:])  # on two they are as written
@pytest.mark.parametrize("name", [n for n in EVERY if isinstance(EVERY[n], OVER_USERS)])
def test_every_lab_with_a_knee_has_it_in_the_picture(name: str, cores: int) -> None:
    """Labs over users begin before it and end beyond; those over the pool have it between pools.
    What stops them is the same on any machine, but that many cores fill a lone load generator."""
    lab, written = (EVERY[name].at_scale(each) for each in (cores, BOOK_CORES))
    parts = dict(zip(getattr(lab, "parts", {"": None}), lab.experiments(), strict=True))
    last = []
    for (label, part), on_two in zip(parts.items(), written.experiments(), strict=True):
        limits = [level.limit for level in expected(part, cores).levels]
        expects = expected(on_two, BOOK_CORES).levels
        last.append(limits[-1])
        assert (limits[-1] == "users") == (label in ENDLESS.get(name, ())), label
        assert limits[-1] == expects[-1].limit or limits[-1] == "load generator"
        if len(limits) > 1 and expects[0].limit == "users":
            assert limits[0] == "users", label
    if getattr(lab, "over", "") == "pool":
        assert last[0] == "pool" and last[-1] == "cpu"


def compared(name: str, cores: int = 8) -> Comparison:
    """That lab's run on so many cores."""
    lab = COMPARISONS[name].at_scale(cores)
    found = {label: simulated(part, cores) for label, part in lab.parts.items()}
    return Comparison(machine=machine(cores), over=lab.over, parts=found)


def ends(name: str, cores: int) -> tuple[list[int], list[float]]:
    """Of each part its processes, and its throughput at the most users."""
    parts = compared(name, cores).parts.values()
    rates = [part.run.forecast.levels[-1].model_rps for part in parts]
    return [part.experiment.server.processes for part in parts], rates


@pytest.mark.parametrize("cores", [*SCALES, 24, 32])
def test_the_corner_of_both_lies_between_the_pools(cores: int) -> None:
    """On all cores of the largest Mac too, which can't hold a server to fewer: the pool is cut."""
    pools, rates = ends("both-at-once", cores)
    wanted = {min(each * cores // 2, MOST_WORKERS) for each in (4, 10, 20, 24, 40, 60)}
    assert pools == sorted(wanted)
    assert COMPARISONS["both-at-once"].at_scale(cores).experiments()[0].server.cores is None
    assert rates[0] < 0.25 * rates[-1] and rates[1] < 0.6 * rates[-1]
    assert 0.85 * rates[-1] < rates[2] < 1.01 * rates[-1]
    assert rates[-2] == pytest.approx(rates[-1], rel=0.05)


@pytest.mark.parametrize("cores", SCALES)
def test_the_last_step_fills_every_core(cores: int) -> None:
    lab = WATCHING.at_scale(cores)
    users = [step.users or 0 for step in lab.steps]
    assert users[0] == 1 and users[1] == cores and users[2] >= 4 * cores
    assert lab.server.processes >= users[2]


@pytest.mark.parametrize("cores", [3, 4, 6, 8, 12, 16, 24, 64, 128])
@pytest.mark.parametrize("name", LABS)
def test_every_machine_gets_workers_that_fit(name: str, cores: int) -> None:
    lab = LABS[name].at_scale(cores)
    assert lab is not LABS[name] and "two cores" in lab.about() and str(cores) in lab.about()
    servers = [each.server for each in lab.experiments()]
    assert max(server.pool or 0 for server in servers) <= MOST_WORKERS
    assert len({server.cores for server in servers}) == 1
    memory = max(server.processes for server in servers) * MOST_PSS
    assert memory < machine(max(cores, 8)).memory_bytes / 4


def test_a_recording_matches_at_its_own_scale_only() -> None:
    lab = SWEEPS["many-cores"]
    own8 = lab.at_scale(8).experiment
    for asked in (lab, lab.at_scale(8), lab.at_scale(16)):
        assert asked.matches(simulated(own8, 8))
        assert not asked.matches(simulated(own8, 16))
        assert not asked.matches(simulated(lab.experiment, 8))
    both, found = COMPARISONS["both-at-once"], compared("both-at-once")
    assert both.matches(found) and both.at_scale(16).matches(found)
    assert not both.matches(structs.replace(found, machine=machine(4)))
    watched, grown = store.recording("watching"), WATCHING.at_scale(8)
    eight = structs.replace(watched, machine=machine(8), server=grown.server, steps=grown.steps)
    assert WATCHING.matches(eight)


@pytest.mark.parametrize("name", LABS)
def test_a_lab_that_grows_does_so_however_long_it_measures(name: str) -> None:
    lab = LABS[name]
    assert lab.at_scale(1) is lab.at_scale(2) is lab and lab.each_s
    longer = lab.lasting(lab.each_s / 2).at_scale(8)
    assert longer.each_s == lab.each_s / 2 and longer.scale.by_cores
    assert longer.lasting(lab.each_s).experiments() == lab.at_scale(8).experiments()
    assert longer.lasting(lab.each_s).matches(store.recording(name))


def test_what_a_reader_writes_is_run_as_written() -> None:
    mine = SweepLab(SWEEPS["many-cores"].experiment)
    assert mine.at_scale(16) is mine
    assert mine.matches(simulated(mine.experiment, 16))
    assert not mine.matches(simulated(SWEEPS["many-cores"].at_scale(16).experiment, 16))


def test_a_recorded_run_is_set_beside_one_on_more_cores() -> None:
    lab = SWEEPS["many-cores"]
    here, there = simulated(lab.at_scale(8).experiment, 8), simulated(lab.experiment, 2)
    moved = there.as_if_on(8)
    assert [point.users for point in moved.points] == [4, 8, 12, 16, 32]
    for point in moved.points[1:]:
        at = here.at(point.users)
        assert point.throughput_rps == pytest.approx(at.throughput_rps, rel=0.06)
        assert point.mean_response_time_s == pytest.approx(at.mean_response_time_s, rel=0.06)
    assert lab.at_scale(8).compares(here.experiment, there)
    other = replace(here.experiment, server=Server("prefork", processes=5))
    assert not lab.at_scale(8).compares(other, there)


def test_exercises_on_parts_follow_the_scale() -> None:
    both = [compared("how-many-workers", cores) for cores in (8, 2)]
    scaled, written = (readings.of_parts(each, "16 workers", "1 worker") for each in both)
    assert (scaled["few"], written["few"]) == (40, 16)
    assert scaled["first"] / scaled["second"] == pytest.approx(8, rel=0.1)


def test_the_figure_says_whose_scale_a_recorded_run_is_at() -> None:
    lab = SWEEPS["many-cores"]
    there = simulated(lab.experiment, 2).as_if_on(8)
    users = lab.at_scale(8).experiment.load.users
    drawing = Drawing(users=users, recorded=there, as_if=", as if on 8")
    names = {trace["name"] for trace in sweep_figure(drawing)["data"]}
    assert names == {"recorded on 2 cores, as if on 8"}
    assert "Recorded on 2 cores, as if on 8" in sweep_alt(drawing)


def test_numbers_grow_in_proportion_up_to_four_times_the_bend() -> None:
    cpu, mixed = Workload(cpu_s=0.05), Workload(cpu_s=0.02, wait_s=0.18)
    assert own(8, Workload(wait_s=0.1), 8) == 8  # cores bring nothing
    assert [own(each, cpu, 8) for each in (1, 2, 8, 16, 200)] == [1, 8, 32, 40, 224]
    assert [own(each, mixed, 8) for each in (4, 60, 100)] == [16, 240, 340]
    assert own_label("16 threads, hashing", cpu, 8) == "40 threads, hashing"
    assert own_levels((1, 2, 4), cpu, 5) == (1, 2, 5, 10) and own_levels((2, 4), cpu, 8) == (8, 16)
    held = Experiment(Server("prefork", processes=8, cores=4), cpu, Load([1, 8]))
    assert own_experiment(held, 16) == own_experiment(held, 8)
    server, steps = own_steps(Server("prefork", processes=2), cpu, [Step(seconds=1, rate=9.0)], 8)
    assert server.processes == 8 and steps == (Step(seconds=1, rate=9.0),)


def test_a_lab_of_as_many_levels_as_may_be_has_no_more_on_more_cores() -> None:
    """What follows a lone user would be a 17th, and no load has so many."""
    load = Load(range(1, MOST_LEVELS + 1))
    asked = Experiment(Server("prefork", processes=8), Workload(cpu_s=0.05), load)
    grown = own_experiment(asked, 8).load.users
    assert len(grown) == MOST_LEVELS and grown[0] == 1
    shorter = replace(asked, load=Load(load.users[:-1]))
    assert len(own_experiment(shorter, 8).load.users) == MOST_LEVELS


@pytest.mark.parametrize(("cores", "held"), [(16, None), (17, 16), (64, 16)])
@pytest.mark.parametrize(("processes", "users"), [(64, 16), (4, 512)])
def test_the_largest_pool_and_the_most_users_say_how_many_cores_are_taken(
    processes: int, users: int, cores: int, held: int | None
) -> None:
    """Of waits, so that all is in proportion: 8 times as many on 16 cores, and no more may be."""
    waits, server = Workload(cpu_s=0.001, wait_s=1.0), Server("prefork", processes=processes)
    few = Experiment(Server("event-loop"), waits, Load([2, 4]))
    many = Experiment(server, waits, Load([2, 4, users]))
    found = own_parts({"few": few, "many": many}, cores)
    assert {each.server.cores for each in found.values()} == {held}
    largest = found["many"].server.processes, found["many"].load.users[-1]
    assert largest == (8 * processes, 8 * users)
    steps = [Step(seconds=1, users=each) for each in (users, 2)]
    grown, walked = own_steps(server, waits, steps, cores)
    assert (grown, walked[0].users) == (found["many"].server, 8 * users)


def test_more_than_two_cores_are_told_and_no_fewer():
    assert why_scaled(1) == why_scaled(2) == ""
    assert "On 3 this lab begins" in why_scaled(3)
