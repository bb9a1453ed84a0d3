"""The exercises of each chapter, in the order of the book; exercise 3.1 is the first of chapter 3.

Their words are in the chapter's page: `labs.exercises.words` reads them.
"""

from labs.exercises.chapters import (
    a_small_file,
    both_at_once,
    event_loop,
    how_many_workers,
    many_cores,
    one_core,
    past_the_plateau,
    prefork,
    the_launch,
    the_pool,
    threads,
    waiting_is_cheap,
    wall_time,
    watching,
    which_limit,
    whom_are_you_measuring,
    your_machine,
)
from labs.exercises.exercise import Exercise

CHAPTERS: dict[str, tuple[Exercise, ...]] = {  # by the name of their page
    "your-machine": your_machine.EXERCISES,
    "wall-time": wall_time.EXERCISES,
    "one-core": one_core.EXERCISES,
    "many-cores": many_cores.EXERCISES,
    "past-the-plateau": past_the_plateau.EXERCISES,
    "watching": watching.EXERCISES,
    "how-many-workers": how_many_workers.EXERCISES,
    "waiting-is-cheap": waiting_is_cheap.EXERCISES,
    "the-pool": the_pool.EXERCISES,
    "prefork": prefork.EXERCISES,
    "threads": threads.EXERCISES,
    "event-loop": event_loop.EXERCISES,
    "the-launch": the_launch.EXERCISES,
    "both-at-once": both_at_once.EXERCISES,
    "which-limit": which_limit.EXERCISES,
    "a-small-file": a_small_file.EXERCISES,
    "whom-are-you-measuring": whom_are_you_measuring.EXERCISES,
}
EXERCISES = tuple(row for rows in CHAPTERS.values() for row in rows)


def minutes(slug: str) -> int:
    """How long all exercises of a page take, by our estimate."""
    return sum(row.minutes for row in CHAPTERS[slug])


def slug(id: str) -> str:
    """The name of the page that an exercise is on."""
    return next(name for name, rows in CHAPTERS.items() if any(row.id == id for row in rows))
