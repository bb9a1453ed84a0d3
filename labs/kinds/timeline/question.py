"""Question that a timeline asks its reader before the run."""

from collections.abc import Sequence
from typing import Literal

from labs.present.bet import Question, throughput
from labs.records.experiment import Server
from labs.records.format import digits
from labs.records.server_facts import server_facts
from labs.records.steps import Step

Ask = Literal["throughput", "workers", "under way"]


def least_obvious(server: Server, steps: Sequence[Step]) -> Ask:
    """Choose what to ask of a server under such a load."""
    if any(step.rate is not None for step in steps):
        return "under way"
    return "workers" if server_facts(server.by).first is not None else "throughput"


def asked_step(ask: Ask, steps: Sequence[Step]) -> int:
    """Find the step that is asked about, counted from 0."""
    if ask == "under way":
        rates = [step.rate or 0.0 for step in steps]
        return rates.index(max(rates))
    return len(steps) - 1


def between(steps: Sequence[Step], number: int) -> tuple[float, float]:
    """Tell when a step begins and ends, in seconds from the first one's begin."""
    begin_s = sum(step.seconds for step in steps[:number])
    return begin_s, begin_s + steps[number].seconds


def question(ask: Ask, steps: Sequence[Step]) -> Question:
    """Ask for the throughput of the last step, the workers at the end, or the requests under way
    when the most have arrived."""
    begin_s, end_s = between(steps, asked_step(ask, steps))
    where = f"at second {digits(end_s)}"
    if ask == "workers":
        words = f"how many workers will the server have {where}, at the end"
        return Question(words=words, about=where, unit="workers", say=_whole)
    if ask == "under way":
        words = f"how many requests will have begun and not been answered {where}"
        return Question(words=words, about=where, unit="requests", say=_whole)
    return throughput(f"from second {digits(begin_s)} to {digits(end_s)}")


def _whole(value: float) -> str:
    return digits(round(value))
