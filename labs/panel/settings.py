"""The panel's settings: widgets on one side, experiments on the other.

Those that a lab is about come first, and the rest is folded. Of several experiments, what they have
in common can be set: what they differ in is what is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import ipywidgets
from markupsafe import Markup

from labs.kinds.base import LabKind
from labs.panel.allowed import (
    Choice,
    core_numbers,
    cpu_kinds,
    programs,
    thread_numbers,
    wait_kinds,
)
from labs.panel.controls import WAITED, WORKS, controls, named, read_users
from labs.panel.run_bar import put
from labs.records.experiment import Experiment, Server, Workload
from labs.records.results import Machine
from labs.records.server_facts import server_facts
from labs.records.settings import SETTINGS, usual, value_of
from labs.servers.catalogue import row_of
from labs.servers.serve import available

FITTED = ("by", "threads", "cores", "cpu_by", "wait_by")  # to the others
MORE, FEWER = "More settings", "Fewer settings"


class Settings(ipywidgets.VBox):
    """Sliders and choices, those in `about` first. `changed` is called after each change by the
    reader. `fixed` are no settings here. Unusable for a server that is in no table."""

    def __init__(
        self,
        experiments: Sequence[Experiment],
        machine: Machine,
        changed: Callable[[], None],
        *,
        about: Sequence[str] = (),
        fixed: Sequence[str] = (),
    ) -> None:
        self._before = tuple(experiments)
        self._machine = machine
        self._changed = changed
        self._settling = False  # while one change brings about another
        self._found = available()
        first = experiments[0]
        common = [name for name in settable(experiments) if name not in fixed]
        if "by" in common:
            row_of(first.server)
        made = controls(first, machine.cores)
        self.controls = {name: made[name] for name in common}
        self._fit()
        first_ones = [name for name in about or usual(first) if name in common]
        self._named = Group({name: made[name] for name in first_ones})
        self._rest = Group({name: made[name] for name in common if name not in first_ones})
        self._more = ipywidgets.ToggleButton(
            description=MORE, tooltip="What this lab leaves as it is, to be changed too"
        ).add_class("wt-more")
        self._more.observe(lambda _: self._unfold(), "value")
        super().__init__(children=(self._named, self._more, self._rest))
        self.add_class("wt-settings")
        self._unfold()
        self._say_why()
        for control in self.controls.values():
            control.observe(self._heard, "value")

    def experiments(self) -> tuple[Experiment, ...]:
        """Make the experiments with what is set. Unusable says what cannot be."""
        return tuple(self._as_set(each) for each in self._before)

    def enable(self, yes: bool) -> None:
        """Let things be set, or not: while a run goes on, nothing can be."""
        for control in self.controls.values():
            control.disabled = not yes
        if yes:
            self._fit()

    def _value(self, name: str) -> Any:
        """Read a setting as it is set, in the units of the records."""
        if name not in self.controls:
            return value_of(self._before[0], name)
        value = self.controls[name].value
        if name in ("cpu_s", "wait_s"):
            return value / 1000
        if name == "cores":
            return None if value == self._machine.cores else value
        return read_users(value) if name == "users" else value

    def _as_set(self, before: Experiment) -> Experiment:
        server, workload, load = before.server, before.workload, before.load
        new = {name: self._value(name) for name in self.controls}
        if "processes" in new:
            new["start"] = server.start and min(server.start, new["processes"])
        by = server_facts(new.get("by", server.by))
        if not by.starts_fewer:
            new["start"] = None
        if not by.holds_its_worker:
            server = replace(server, keep_alive=bool(server.keep_alive))
        if "threads" in new and self._value("architecture") != "threaded":
            new["threads"] = 1
        parts: list[Any] = []
        for part in (server, workload, load):
            own = {name: value for name, value in new.items() if hasattr(part, name)}
            parts.append(replace(part, **own))
        return Experiment(*parts)

    def _heard(self, change: dict[str, Any]) -> None:
        if self._settling:
            return
        self._settling = True
        self._fit(anew=change["owner"] is self.controls.get("architecture"))
        self._say_why()
        self._settling = False
        self._changed()

    def _unfold(self) -> None:
        """Show the rest, or fold it."""
        shown = self._more.value
        self._more.description = FEWER if shown else MORE
        self._more.layout.display = "" if self._rest.controls else "none"
        self._rest.layout.display = "" if shown else "none"

    # ---- what can be combined ----------------------------------------------------------------

    def _fit(self, *, anew: bool = False) -> None:
        """Leave to choose what goes with the rest; `anew`: of another architecture."""
        self._why: dict[str, str] = {}
        for name in FITTED:
            if control := self.controls.get(name):
                choice = self._choice(name, anew=anew)
                self._why[name] = choice.why
                control.disabled = not choice.free
                if choice.options:
                    self._offer(name, choice.options, anew=anew)

    def _choice(self, name: str, *, anew: bool) -> Choice:
        architecture, begun = self._value("architecture"), self._before[0]
        server = Server(architecture, by="" if anew and name == "by" else self._value("by"))
        work = Workload(cpu_s=self._value("cpu_s"), wait_s=self._value("wait_s"))
        if name == "by":
            return programs(server, begun.workload.page, self._found)
        if name == "cpu_by":
            return cpu_kinds(server, work)
        if name == "wait_by":
            return wait_kinds(server, work, begun.workload.wait_by)
        if name == "threads":
            return thread_numbers(server)
        return core_numbers(begun.server, self._machine.cores)

    def _offer(self, name: str, options: Sequence[str], *, anew: bool) -> None:
        """Offer these options, and keep what is set, if it is among them."""
        control, before = self.controls[name], self._value(name)
        if name == "by":
            kind = self._value("architecture")
            before = Server(kind).by if anew else before
            rows = {row.by: row for row in self._found if row.architecture == kind}
            offered = [(named(rows[by]), by) for by in options]
            if tuple(control.options) != tuple(offered):
                control.options = offered
        elif tuple(control.options) != tuple(options):
            told = WORKS if name == "cpu_by" else WAITED
            control.tooltips = [told[each] for each in options]
            control.options = options
        value = before if before in options else options[0]
        if control.value != value:
            control.value = value

    def _say_why(self) -> None:
        """Say why beside what is shown, and of cores that are not there in any case."""
        asked = self._before[0].server.cores or 0
        self._named.say(self._why, also=("cores",) if asked > self._machine.cores else ())
        self._rest.say(self._why)


def settings_of(
    lab: LabKind[Any], machine: Machine, changed: Callable[[], None]
) -> Settings | None:
    """Make the settings of a lab, if anything of it can be set."""
    experiments = lab.experiments()
    if not experiments:
        return None
    return Settings(experiments, machine, changed, about=lab.settings, fixed=lab.fixed)


class Group(ipywidgets.VBox):
    """Some of the settings, and below them why not all of it can be chosen."""

    def __init__(self, controls: Mapping[str, ipywidgets.Widget]) -> None:
        self.controls = controls
        self._why = ipywidgets.HTML()
        grid = ipywidgets.VBox(children=tuple(controls.values())).add_class("wt-controls")
        super().__init__(children=(grid, self._why))

    def say(self, why: Mapping[str, str], also: Sequence[str] = ()) -> None:
        """Say why, for the settings in this group and those in `also`."""
        said = [
            text for name, text in why.items() if text and (name in self.controls or name in also)
        ]
        put(self._why, Markup('<p class="wt-why">{}</p>').format(" ".join(said)) if said else "")


def settable(experiments: Sequence[Experiment]) -> list[str]:
    """List the settings that are the same in all experiments, and can change together."""
    if not experiments:
        return []
    common = [name for name in SETTINGS if len({value_of(each, name) for each in experiments}) == 1]
    if any(each.workload.wait_by != "connections" for each in experiments):
        common.remove("connections")
    if experiments[0].workload.page == "file":  # it takes no work
        common = [name for name in common if not name.startswith(("cpu", "wait"))]
    if "architecture" not in common:
        return [name for name in common if name not in ("by", "threads")]
    if {"by", "threads"} - set(common):
        common.remove("architecture")
    return common
