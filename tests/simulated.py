"""A simulation in SimPy, as another framework than ours that our theory is held against."""

import simpy

COLD = 0.1  # of the requests: users still begin in step


def throughput(world: simpy.Environment, ends: list[float], done: int) -> float:
    """X once that many requests have ended, at times that the world's processes put into `ends`;
    without the first of them."""
    while len(ends) < done:
        world.step()
    cold = int(COLD * done)
    return (len(ends) - cold) / (ends[-1] - ends[cold - 1])
