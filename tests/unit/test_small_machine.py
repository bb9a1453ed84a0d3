from labs.analysis.small_machine import scaled_down
from labs.records.experiment import Experiment, Load, Server, Workload


def asked(cpu_s: float, wait_s: float = 0.0) -> Experiment:
    return Experiment(Server("event-loop"), Workload(cpu_s=cpu_s, wait_s=wait_s), Load((1, 2)))


def test_one_core_begins_with_a_wait_and_says_why() -> None:
    heavy = asked(0.02, wait_s=0.2)
    assert scaled_down(heavy, cores=2) == (heavy, "")
    smaller, why = scaled_down(heavy, cores=1)
    assert smaller == asked(0.0, wait_s=0.22)
    assert why.startswith("This machine has one core, and 20\xa0ms of CPU a request would")
    others, shared = scaled_down(heavy, cores=8, shared=True)
    assert others == smaller and shared.startswith("This is a free service that others share")


def test_what_one_core_can_do_is_left_as_it_is() -> None:
    assert scaled_down(asked(0.005), cores=1, shared=True) == (asked(0.005), "")
