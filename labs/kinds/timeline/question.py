"""Question that a timeline asks its reader before the run."""

from collections.abc import Sequence

from labs.present.bet import Question, throughput
from labs.records.experiment import Server
from labs.records.format import digits
from labs.records.server_facts import server_facts
from labs.records.steps import Step


def least_obvious(server: Server, steps: Sequence[Step]) -> tuple[int, Question]:
    """Choose the step to ask about, counted from 0, and what to ask: the requests under way when
    the most have arrived, the workers at the end, or the throughput of the last step."""
    rates = [step.rate or 0.0 for step in steps]
    number = rates.index(max(rates)) if any(rates) else len(steps) - 1
    begin_s = sum(step.seconds for step in steps[:number])
    end = digits(begin_s + steps[number].seconds)
    where = f"at second {end}"
    if any(rates):
        words = f"how many requests will have begun and not been answered {where}"
        return number, Question(words=words, about=where, unit="requests", say=_whole)
    if server_facts(server.by).first is not None:
        words = f"how many workers will the server have {where}, at the end"
        return number, Question(words=words, about=where, unit="workers", say=_whole)
    return number, throughput(f"from second {digits(begin_s)} to {end}")


def _whole(value: float) -> str:
    return digits(round(value))
