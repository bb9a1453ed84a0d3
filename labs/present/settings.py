"""Settings in words: what an experiment was, and what tells several of them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labs.records.experiment import Experiment
from labs.records.format import cores, counted, digits, duration, listed
from labs.records.server_facts import called

Settings = Mapping[str, str]  # of each thing that can be set, what it is set to, in words


def settings(experiment: Experiment, machine_cores: int) -> dict[str, str]:
    """Put all of an experiment that a reader can set in words. machine_cores: what a server has
    that is held to none."""
    server, workload, load = experiment.server, experiment.workload, experiment.load
    think, pooled = load.think_time_s, workload.wait_s and workload.wait_by == "connections"

    def each(one: str, number: int) -> str:
        return f"{counted(number, one)} in each"

    return {
        "architecture": server.architecture,
        "by": f"run by {called(server.by)}",
        "processes": counted(server.processes, "process", "processes"),
        "threads": each("thread", server.threads) if server.architecture == "threaded" else "",
        "cores": cores(min(server.cores or machine_cores, machine_cores)),
        "quota": "" if server.quota is None else f"a quota of {cores(server.quota)}",
        "cpu": f"{duration(workload.cpu_s)} of CPU" if workload.cpu_s else "no CPU",
        "cpu_by": workload.cpu_by if workload.cpu_s else "",
        "wait": f"{duration(workload.wait_s)} of waiting" if workload.wait_s else "no wait",
        "wait_by": f"by {workload.wait_by}" if workload.wait_s else "",
        "connections": each("connection", workload.connections) if pooled else "",
        "users": so_many_users(load.users),
        "think": f"{duration(think)} to think" if think else "",
        "seconds": f"{digits(load.seconds)} s a level",
        "rest": "" if _usual(experiment) else "other details",
    }


def shared(experiments: Sequence[Experiment], machine_cores: int) -> dict[str, str]:
    """Settings that several experiments have in common."""
    every = [settings(each, machine_cores) for each in experiments]
    return {
        name: words
        for name, words in (every[0] if every else {}).items()
        if all(each[name] == words for each in every)
    }


def in_words(found: Settings) -> str:
    """Join settings in words: `prefork, run by gunicorn, 8 processes, ...`."""
    return ", ".join(words for words in found.values() if words)


def told_apart(several: Sequence[Settings], now: Settings | None = None) -> list[str]:
    """Say of each what differs among them, or from what is set `now`; "" where nothing
    does.

    >>> told_apart([{"cores": "1 core", "cpu": "50 ms"}, {"cores": "2 cores", "cpu": "50 ms"}])
    ['1 core', '2 cores']
    """
    everyone = [*several, *([] if now is None else [now])]
    differ = [
        name
        for name in dict.fromkeys(name for each in everyone for name in each)
        if len({each.get(name, "") for each in everyone}) > 1
    ]
    return [", ".join(each[name] for name in differ if each.get(name)) for each in several]


def so_many_users(levels: Sequence[int]) -> str:
    """Say numbers of users: `1, 2 and 4 users`."""
    return "1 user" if tuple(levels) == (1,) else f"{listed(levels)} users"


def _usual(experiment: Experiment) -> bool:
    """Whether an experiment's settings without a control are as they are unless told."""
    server, workload, load = experiment.server, experiment.workload, experiment.load
    return server.keep_alive is True and load.keep_alive and workload.page == "work"
