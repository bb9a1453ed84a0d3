"""Runs of before below a later one's figure, and the words that tell them apart."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import examples
import plotly.graph_objects as go
from chapters import each_recording
from msgspec import structs

from labs.kinds.comparison.record import Comparison
from labs.kinds.registry import showing
from labs.kinds.sweep.figure import Drawing, sweep_figure
from labs.panel.earlier_runs import EarlierRuns
from labs.present import settings
from labs.present.plot import Figure
from labs.present.settings import in_words, told_apart
from labs.present.trails import LOOKS, Trail, trails_alt, with_trails
from labs.recordings import store
from labs.records.experiment import Experiment, Load, Server, Workload

COMPARED = {"attach", "sweep", "comparison", "race", "timeline", "memory", "generators"}


def sweep(users: tuple[int, ...] = examples.USERS) -> Figure:
    return sweep_figure(Drawing(users=users, points=examples.run().points))


def trail(words: str, experiment: Experiment = examples.EXPERIMENT) -> Trail:
    found = examples.by_law(experiment)
    return Trail(words.partition(":")[0], words, showing(found).curves(found))


@each_recording
def test_a_run_stays_as_pale_curves_in_the_plots_of_its_kind(file: Path) -> None:
    found = store.read(file)
    show, figure = showing(found), showing(found).figure(found)
    curves = show.curves(found)
    assert bool(curves) == (type(found).__struct_config__.tag in COMPARED)
    made = with_trails(figure, [Trail("1", "run 1", curves), Trail("2", "run 2", curves)])
    go.Figure(json.loads(json.dumps(made, allow_nan=False)))
    pale = made["data"][: len(made["data"]) - len(figure["data"])]
    assert len(pale) == 2 * len(curves)
    own = with_trails(figure, [])["data"]
    assert made["data"][len(pale) :] == own and len(own) == len(figure["data"])
    plots = {(each.get("xaxis", "x"), each.get("yaxis", "y")) for each in figure["data"]}
    assert {(each["xaxis"], each["yaxis"]) for each in pale} <= plots
    for each in pale:
        assert [y for y in each["y"] if y is not None]
        assert each["line"]["color"].startswith("rgba(")


def test_four_runs_differ_without_colour_and_each_has_one_entry_in_the_legend() -> None:
    trails = [trail(f"run {number}") for number in range(4)]
    made = with_trails(sweep(), trails)["data"]
    pale = [each for each in made if each["name"].startswith("run")]
    assert [each["name"] for each in pale if each["showlegend"]] == [
        each.words for each in trails[::-1]
    ]
    looks = {(each["line"]["dash"], *set(each["marker"]["symbol"])) for each in pale}
    assert looks == {*LOOKS}
    largest = max(each["marker"]["size"] for each in sweep()["data"])
    assert min(each["marker"]["size"] for each in pale) >= largest + 3
    alone = with_trails(sweep_figure(Drawing(users=examples.USERS)), trails)["data"]
    assert min(each["marker"]["size"] for each in alone) >= 8


def test_axes_reach_as_far_as_the_runs_of_before() -> None:
    more = replace(examples.EXPERIMENT, load=Load((1, 4, 16)))
    axis = with_trails(sweep(), [trail("run 1", more)])["layout"]["xaxis"]
    assert axis["range"][1] >= 16 and axis["tickvals"] == [1, 2, 4, 8, 16]
    assert axis["ticktext"][-1] == "16"
    far = with_trails(sweep((4, 32, 256)), [trail("run 1", more)])["layout"]["xaxis"]
    assert far["range"][0] < 0 and far["tickvals"] == [1, 4, 32, 256]
    assert with_trails(sweep(), [])["layout"] == sweep()["layout"]


def test_traces_keep_their_uid_when_a_run_is_added() -> None:
    """Plotly fell back on their order, and hid another line than the reader had."""
    first, second = trail("run 1"), trail("run 2: 2 cores")
    told = Trail("run 1", "run 1: 1 core", first.curves)  # now that another stands beside it
    before, after = (
        {each["uid"]: each["name"] for each in with_trails(sweep(), trails)["data"]}
        for trails in ([first], [told, second])
    )
    assert len(before) == len(sweep()["data"]) + len(first.curves)
    alike = {**sweep(), "data": sweep()["data"] * 2}  # arrivals, a group, arrivals: two bands
    assert len({each["uid"] for each in with_trails(alike, [])["data"]}) == len(alike["data"])
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", uid) for uid in after)  # plotly makes classes of them
    assert {uid: name.partition(":")[0] for uid, name in after.items() if uid in before} == before


def test_runs_of_before_are_told_in_words() -> None:
    said = trails_alt([trail("run 1: 1 core"), trail("run 2: 2 cores")]).replace("\u00a0", " ")
    assert re.match(r"Pale, of before: run 2: 2 cores \(8 users: 3\d.* at the end\); run 1: ", said)
    assert trails_alt([]) == ""


def test_settings_say_what_tells_runs_apart() -> None:
    base = examples.EXPERIMENT
    several = [
        base,
        replace(base, server=replace(base.server, cores=1)),
        replace(base, workload=Workload(cpu_s=0.02, wait_s=0.1), load=Load((1, 2))),
        replace(base, server=Server("threaded", threads=4)),
        replace(base, server=replace(base.server, keep_alive=False)),
    ]
    every = [settings.settings(each, 2) for each in several]
    words = [each.replace("\u00a0", " ") for each in told_apart(every)]
    assert len({*words}) == len(several)
    assert told_apart(every[:2]) == ["2 cores", "1 core"]
    assert told_apart(every[:1]) == [""] and told_apart(every[:1], every[0]) == [""]
    assert told_apart(every[:1], every[1]) == ["2 cores"]
    assert in_words(every[0]).replace("\u00a0", " ") == (
        "prefork, run by gunicorn, 8 processes, 2 cores, 50 ms of CPU, counting, no wait, "
        "1, 2, 4 and 8 users, 1 s a level"
    )
    assert ", 1 user, " in in_words(settings.settings(replace(base, load=Load((1,))), 2))
    for one, other in itertools.combinations(every, 2):
        assert any(told_apart([one, other]))


def test_a_recorded_run_is_called_recorded_beside_one_that_goes_on() -> None:
    found = store.recording("your-machine")
    names = {each["name"] for each in with_trails(showing(found).figure(found), [])["data"]}
    old = with_trails(showing(found).figure(found), [], recorded=True)["data"]
    assert "measured" in names
    assert {each["name"] for each in old} == names - {"measured"} | {"recorded"}


def test_an_earlier_run_is_hollow_just_where_it_is_unfit() -> None:
    """A prefork server's unfit point stood as an ordinary mark beside other servers' fit ones."""
    found = examples.by_law(examples.EXPERIMENT)
    last = replace(found.points[-1], checks=(examples.UNFIT,))
    run = replace(found.run, points=(*found.points[:-1], last))
    spoilt = structs.replace(found, runs=(run,))
    for part, hollow in ((found, 0), (spoilt, 1)):
        earlier = EarlierRuns()
        earlier.add(Comparison(machine=found.machine, over="users", parts={"a": part}), {})
        trails = earlier.beside(None, {})
        drawn = with_trails({"data": [], "layout": {}}, trails)["data"]
        symbols = [each["marker"]["symbol"] for each in drawn]
        assert [sum("open" in each for each in one) for one in symbols] == [hollow] * 2
        words = f"{drawn[0]['name']} {drawn[0]['customdata'][-1]} {trails_alt(trails)}"
        assert ("unfit" in drawn[0]["name"]) == ("drawn hollow" in words) == bool(hollow)
