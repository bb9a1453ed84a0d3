"""The mystery lab: its limits by the law and for real, and that nobody tells before the reader."""

import contextlib
import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import examples
import ipywidgets
import pytest
from markup import plain
from msgspec import structs
from panel_driver import PanelDriver

import labs
from labs import progress_log
from labs.analysis.checks import BOUND
from labs.kinds.comparison.figure import comparison_figure
from labs.kinds.mystery import run as mystery_run
from labs.kinds.mystery import scenarios, verdict
from labs.kinds.mystery.record import VARIANTS, Mystery, Variant
from labs.kinds.mystery.run import MysteryLab
from labs.kinds.mystery.scenarios import LIMITS, Limit, draw, named, usual_users
from labs.kinds.mystery.show import compared, fixes_levels, show, under
from labs.kinds.sweep.record import Recording
from labs.measure.rig import Rig
from labs.panel.mystery import MysteryPanel
from labs.present.blocks import html
from labs.recordings import store
from labs.recordings.replay import Replayed, plainly
from labs.records.errors import BadRecording, Unusable
from labs.records.experiment import Experiment, Server, Workload
from labs.records.processes import Seen
from labs.records.results import Check, Machine, unfit
from labs.servers.storage import CHOICE, database, shared_folder, sync_s
from labs.theory.forecast import forecast
from labs.theory.laws import GENERATOR_FULL
from workloads.app.application import application, run
from workloads.app.exclusive import FOLDER

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

SEEDS = range(1, len(LIMITS) + 1)
HELPED, NOTHING = 1.3, 1.15
ROOT = Path(__file__).parents[2]
MACHINE = replace(examples.MACHINE, cores=4, logical_cores=4, quota_cores=None)
CALIBRATION = replace(examples.CALIBRATION, loops_per_s=(20e6, 40e6, 60e6, 80e6))
SOON_S = 60.0
ONE_AT_A_TIME = ("disk", "database", "lock")
SECRET = ["disk-together", *"wait_by limit bottleneck forecast prefork Locust PostgreSQL".split()]


def seed_of(name: str) -> int:
    return next(seed for seed in SEEDS if draw(seed, 4).limit.name == name)


def example(
    seed: int, machine: Machine = MACHINE, variants: tuple[Variant, ...] = VARIANTS
) -> Mystery:
    """As the laws have it."""
    scenario = draw(seed, machine.cores)
    seen = Seen(
        who="server",
        number=1,
        parent=None,
        threads=1,
        cpu=0.5,
        on_disk=0.2,
        written_bps=4096.0,
        files=("stock.db",),
    )
    return Mystery(
        seed=seed,
        limit=scenario.limit.name,
        machine=machine,
        variants={
            variant: examples.by_law(scenario.experiment(variant), of=machine, service_time_s=0.01)
            for variant in variants
        },
        seen=(seen, replace(seen, number=2, parent=1), replace(seen, number=3, parent=1)),
    )


def checked(mystery: Mystery, *checks: Check) -> Mystery:
    """The same, with these at every level of the server as it is."""
    run = mystery.before.run
    points = tuple(replace(point, checks=checks) for point in run.points)
    before = structs.replace(mystery.before, runs=(replace(run, points=points),))
    return mystery.with_variant("before", before)


# ---- the limits, by the law --------------------------------------------------------------------


def test_draw_gives_seven_seeds_in_a_row_seven_limits() -> None:
    for first in (1, 8, 15):
        drawn = [draw(seed, 4).limit.name for seed in range(first, first + 7)]
        assert len(set(drawn)) == len(LIMITS) == 7
    assert draw(3, 4) == draw(3, 4)
    for bad in (0, -1, 1.5, "1", True):
        with pytest.raises(Unusable, match="seed="):
            draw(bad, 4)
    with pytest.raises(Unusable, match="no such limit"):
        named("weather")


@pytest.mark.parametrize("cores", [1, 2, 4, 16])
@pytest.mark.parametrize("seed", range(1, 15))
def test_forecast_has_each_limit_and_only_the_right_fix_lifts_it(seed: int, cores: int) -> None:
    scenario = draw(seed, cores)
    speeds = tuple(20e6 * n for n in range(1, cores + 1))
    machine = replace(MACHINE, cores=cores, logical_cores=cores)
    calibration = replace(CALIBRATION, loops_per_s=speeds)
    last = scenario.before.load.users[-1]
    assert last >= 2 * cores
    found = [
        forecast(scenario.experiment(variant), calibration, machine)
        for variant in ("before", "wrong", "right")
    ]
    before, wrong, right = (each.at(last) for each in found)
    if scenario.limit.name in ONE_AT_A_TIME:  # 1/V, whatever the workers and the cores: chapter 14
        wait_s = scenario.before.workload.wait_s + CALIBRATION.timer_s
        assert before.bound_rps == pytest.approx(1 / wait_s)
        assert before.model_rps == pytest.approx(before.bound_rps, rel=0.02)
    assert wrong.model_rps / before.model_rps < NOTHING
    if cores > 1 or scenario.limit.name != "load generator":  # one core: it is the CPU's as well
        assert found[0].levels[0].limit == "users" != before.limit == scenario.limit.name
        assert right.model_rps / before.model_rps > HELPED


FORBID_LOCK = ("disk", "database")


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_answered_tells_what_speaks_against_a_wrong_diagnosis(limit: Limit) -> None:
    mystery = example(seed_of(limit.name))
    right = " ".join(verdict.answered(mystery, limit.name))
    assert right.startswith("Yes.") and limit.law in right and limit.symptoms in right
    for other in LIMITS:
        if other is not limit:
            wrong = " ".join(verdict.answered(mystery, other.name))
            assert wrong.startswith("No, not ") and other.symptoms in wrong
            assert limit.law not in wrong and limit.does not in wrong
            if other.name == "lock":  # disk and database grow a time in service as a lock does
                assert all(verdict.fact(named(each), mystery)[1:] in wrong for each in FORBID_LOCK)


# ---- what is shown -----------------------------------------------------------------------------


def telling(name: str) -> list[str]:
    """What nobody may read before the diagnosis."""
    limit, scenario = named(name), draw(seed_of(name), 4)
    fixes = [text for f in (scenario.wrong, scenario.right) for text in (f.label, f.why)]
    words = [limit.does, limit.law, limit.symptoms, *fixes]
    return [text.replace("\u00a0", " ") for text in words] + SECRET


def texts(widget: object) -> Iterator[str]:
    """Everything that a widget and those in it say, but the list of suspects."""
    if isinstance(widget, ipywidgets.RadioButtons):
        return
    for name in ("value", "description", "tooltip", "alt", "placeholder"):
        found = getattr(widget, name, None)
        if isinstance(found, str):
            yield plain(found)
    yield plain(str(getattr(widget, "figure", "")))
    for child in getattr(widget, "children", ()):
        yield from texts(child)


def assert_hidden(said: str, name: str) -> None:
    said = re.sub("limits it|limit it", "", said)
    assert [text for text in telling(name) if text in said] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_mystery_on_a_page_folds_the_solution_away(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path))
    monkeypatch.setenv("LABS_MODE", "replay")
    mystery = example(seed)
    store.save(mystery, store.path("which-limit", MACHINE))
    assert store.recording("which-limit") == mystery
    shown = labs.mystery("which-limit", seed=seed)
    assert isinstance(shown, Replayed)
    open_part, _, folded = shown.html.partition('<details class="solution">')
    assert_hidden(plain(open_part) + repr(shown), mystery.limit)
    folded = plain(folded)
    assert named(mystery.limit).does in folded.replace("&#39;", "'")
    assert "as good as nothing" in folded and "times as much" in folded
    with pytest.raises(BadRecording, match="another experiment"):
        labs.mystery("which-limit", seed=seed + 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_levels_tell_what_was_measured_and_only_the_verdict_why(seed: int) -> None:
    mystery = example(seed)
    limit, scenario = named(mystery.limit), draw(seed, 4)
    levels = [plain(level.words) for level in show.levels(mystery)]
    assert len(levels) == len(usual_users(4)) and not show.concluded(mystery)
    fixes = fixes_levels(mystery)
    as_it_is, wrong, right = (plain(level.words) for level in fixes)
    assert_hidden(" ".join([*levels, as_it_is]), mystery.limit)
    why = [limit.does, limit.law, limit.symptoms, scenario.wrong.why, scenario.right.why]
    assert [text for text in map(plain, why) if text in wrong + right] == []
    assert wrong.startswith(plain(scenario.wrong.label)) and "as good as nothing" in wrong
    assert right.startswith(plain(scenario.right.label)) and "times as much" in right
    drawn = comparison_figure(compared(mystery))["data"]
    lines = [trace["line"]["color"] for trace in drawn if trace["name"].endswith(": forecast")]
    assert [level.colour for level in fixes] == [*dict.fromkeys(lines)]
    said = html(under(mystery), plainly).partition('<details class="solution">')[2]
    (data,) = re.findall(r'<script type="application/json" class="wt-levels">(.*?)</script>', said)
    assert json.loads(data)["verdict"] == [*verdict.revealed(mystery)]
    assert fixes_levels(example(seed, variants=("before",)))[1:] == []


def test_rejection_excuses_a_full_generator_only_where_it_is_the_limit() -> None:
    """A full load generator is a fault of any measurement but this one."""
    full = Check(name="load generator", unfit=True, sentence="Full.")
    noisy = Check(name="noise", unfit=True, sentence="Noisy.")
    above = Check(name=BOUND, unfit=False, sentence="That cannot be.")
    for name, why, *checks in (
        ("load generator", "", full),
        ("load generator", "before: Noisy.", full, noisy),
        ("lock", "before: Full. before: Noisy.", full, noisy),
        ("lock", "That cannot be.", above),
    ):
        seed = seed_of(name)
        mystery, lab = example(seed), MysteryLab(seed, cores=4)
        assert lab.rejection(checked(mystery, *checks)) == why
        three = lab.merge([mystery] * 3)
        assert len(three.runs) == 3 and three.ratio("right") == mystery.ratio("right")
        assert lab.matches(mystery) and not MysteryLab(seed + 1, cores=4).matches(mystery)
    with pytest.raises(Unusable, match="measure the server as it is first"):
        lab.variant("right")


# ---- for real ----------------------------------------------------------------------------------

WORK = """
import sys, time
from workloads.app.exclusive import ALONE
alone = ALONE[sys.argv[1]]
alone(0.001)  # it connects
print("ready", flush=True)
sys.stdin.readline()
for _ in range(5):
    time.sleep(alone(0.02))
"""


@pytest.mark.performance
@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        pytest.param("disk", "", marks=pytest.mark.extended),
        ("database", "sqlite"),
        pytest.param("database", "postgresql", marks=pytest.mark.extended),
        ("lock", ""),
    ],
    indirect=["choice"],
)
def test_exclusive_work_takes_turns_and_its_cure_does_not(kind: str, choice: str) -> None:
    """Eight processes do five requests each, one after another; cured, in far less time. (Whoever
    else writes to this disk may spoil a try, but not three.)"""
    cure = "disk-together" if kind == "disk" else f"{kind}-briefly"
    assert any(together_s(cure) < 0.7 * together_s(kind) for _ in range(3))


def together_s(kind: str) -> float:
    with shared_folder(Workload(wait_s=0.02, wait_by=kind)) as shared:
        assert shared is not None
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", WORK, kind],
                cwd=ROOT,
                env={"PATH": "", **shared.settings},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for _ in range(8)
        ]
        pipes = [(each.stdin, each.stdout) for each in processes]
        assert {said.readline() for _, said in pipes} == {b"ready\n"}
        begin = time.perf_counter()
        for asked, _ in pipes:
            asked.close()
        assert {process.wait(SOON_S) for process in processes} == {0}
        for _, said in pipes:
            said.close()
        return time.perf_counter() - begin


def test_recorded_on_names_the_database_that_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, "sqlite")
    rig, server = Rig(), Server("prefork")
    asks = Workload(wait_s=0.02, wait_by="database")
    assert rig.recorded_on(server, asks).versions["database"] == database().name
    assert "database" not in rig.recorded_on(server, Workload(wait_s=0.02)).versions


def test_application_without_a_folder_for_locks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER, raising=False)
    status, body, _ = run(application("/", "wait=0.01&wait_by=lock"))
    assert status == 502 and FOLDER.encode() in body


@pytest.mark.performance
def test_shared_folder_refuses_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sync_s(tmp_path) > 0
    with shared_folder(Workload(wait_s=0.1)) as shared:
        assert shared is None
    monkeypatch.setattr("labs.servers.storage.LEAST_SYNC_S", 1e9)  # so slow is no disk
    with (
        pytest.raises(Unusable, match="kept in memory"),
        shared_folder(Workload(wait_s=0.1, wait_by="disk")),
    ):
        pass


@pytest.mark.performance
@pytest.mark.timeout(180)
@pytest.mark.extended
def test_mystery_lab_with_two_generators_measures_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "LEVEL_S", 1.0)
    lab = MysteryLab(seed_of("load generator"), [8])
    found = Rig().perform(lab)
    before = found.before.points[0]
    assert before.generator_cpu > 2 * before.server_cpu
    full = "load generator" in [check.name for check in before.checks]
    assert full == (before.generator_cpu > GENERATOR_FULL)
    assert "generator" not in lab.rejection(found)
    if found.machine.cores > 1 and not lab.rejection(found):
        assert found.ratio("right") > 1.1 * found.ratio("wrong")  # two need a core each
    assert {each.who for each in found.seen} == {"server", "generator"}


def test_mystery_lab_looks_on_at_the_unrepaired_server_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the server as it is shows its processes, and to look takes time of the cores."""
    watched: list[bool] = []

    def sweep(rig: Rig, experiment: Experiment, *, beside: object) -> Recording:
        watched.append(beside is not contextlib.nullcontext)
        return examples.by_law(experiment, of=MACHINE)

    monkeypatch.setattr(mystery_run, "sweep", sweep)
    found = MysteryLab(SEED, [2], cores=4).run(Rig())
    assert tuple(found.variants) == VARIANTS and watched == [True, False, False]


# ---- the panel ---------------------------------------------------------------------------------


SEED = seed_of("database")


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PanelDriver]:
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(tmp_path / "progress.json"))
    made = PanelDriver(MysteryPanel("which-limit", MysteryLab(SEED, users=[1, 2, 8])))
    yield made
    made.shut()


def test_mystery_panel_hides_the_limit_until_the_right_diagnosis(driver: PanelDriver) -> None:
    driver.set(users="1, x")
    driver.press_run()
    assert driver.said("message").startswith("Users “x”: must be a whole number.")
    driver.reveal()  # nothing is measured yet
    assert progress_log.read()[0].empty and driver.setting("commit").disabled
    versions = MACHINE.versions | {"database": "PostgreSQL 15.18"}
    driver.panel._found(example(SEED, replace(MACHINE, versions=versions)))
    assert_hidden(" ".join(texts(driver.panel)) + repr(driver.panel), "database")
    driver.diagnose("pool")
    assert "No, not the pool" in driver.said("answer")
    assert not driver.fixes and "PostgreSQL" not in " ".join(texts(driver.panel))
    driver.diagnose("database")
    assert driver.said("answer").startswith("Yes.") and driver.fixes
    assert "The database was PostgreSQL 15.18." in driver.said("answer")
    assert "times as much" in driver.said("brought") and "which-limit-" in driver.html("data")
    assert "as it is: forecast" in driver.lines
    said = progress_log.read()[0].diagnosis("which-limit", SEED)
    assert said and (said.guess, said.right, said.tries, said.told) == ("database", True, 2, False)


def test_mystery_panel_says_to_measure_for_longer_and_not_what_is_full(
    driver: PanelDriver,
) -> None:
    said = ("load generator", "Full."), ("few", "Only 3. Measure for longer.")
    driver.panel._found(checked(example(SEED), *itertools.starmap(unfit, said)))
    assert "Only 3. Measure for longer." in driver.said("verdict")
    assert "Full." not in " ".join(texts(driver.panel))


def test_mystery_panel_logs_that_the_solution_was_asked_for(driver: PanelDriver) -> None:
    driver.panel._found(example(SEED))
    driver.diagnose("pool")
    driver.reveal()
    said = progress_log.read()[0].diagnosis("which-limit", SEED)
    assert said is not None and (said.guess, said.right, said.told) == ("pool", False, True)


def test_mystery_panel_tries_a_fix(driver: PanelDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MysteryLab, "run", lambda lab, rig: example(SEED))
    driver.panel._found(example(SEED, variants=("before",)))
    driver.reveal()
    with driver.panel._drawing:  # news of the run waits
        driver.fixes["right"].click()
        assert driver.said("progress") == "starting" and driver.fixes["wrong"].disabled
    assert driver.job and driver.job.join(SOON_S)
    assert "times as much" in driver.said("brought") and not driver.fixes["wrong"].disabled


def test_mystery_panel_forgets_all_with_another_seed(driver: PanelDriver) -> None:
    driver.panel._found(example(SEED))
    driver.reveal()
    assert driver.said("answer") and driver.said("brought")
    driver.set(seed=SEED + 1)
    asked = driver.panel._as_set()
    assert (asked.seed, asked.users, asked.variants) == (SEED + 1, (1, 2, 8), ("before",))
    for place in ("answer", "brought", "verdict", "caption"):
        assert not driver.said(place)
    assert driver.figure["data"] == [] and not driver.fixes
