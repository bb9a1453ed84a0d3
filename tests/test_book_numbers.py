"""The numbers in the book: recorded where they are ours, and true by the laws it teaches."""

from __future__ import annotations

import ast
import itertools
import math
import re
from pathlib import Path

import pytest
from chapters import Page, chapters, tables

from labs.exercises import check
from labs.exercises.exercise import QUESTIONS
from labs.kinds.clocks.record import Clocks
from labs.kinds.sweep.record import Recording
from labs.present.quantities import Quantity
from labs.recordings import recorder, store
from labs.site.measured_role import measured
from labs.theory import laws, queueing

pytestmark = pytest.mark.chapters

RUNS = 3
FIT = 5 / 6  # of a lab's points, over all its runs

DAILY_DEMAND_S = laws.demand(busy=10_000, completed=200_000)  # of the log in chapter 13

# What the exercises with a fixed answer must come to, by the law and not by their own formula.
FIXED = {
    "0.1": laws.ceiling(2, 0.004),
    "1.1": 1000 * laws.wait(R=0.120, D=0.018 + 0.002),
    "1.2": laws.utilisation(X=1 / 0.120, D=0.018 + 0.002),
    "2.1": laws.bound(N=8, D=0.020),
    "2.2": 1000 * laws.response_time_bound(N=8, D=0.020),
    "3.1": laws.bound(N=16, D=0.050, c=4, W=16),
    "3.2": 1000 * laws.response_time_bound(N=16, D=0.050, c=4, W=16),
    "3.3": laws.ceiling(4, laws.response_time_bound(N=16, D=0.050, c=4)),  # their mistake
    "4.1": laws.most_users(R=1, D=0.050, c=4),
    "4.2": laws.throughput(N=1000, R=0.2, Z=10),
    "5.1": 4 * laws.utilisation(X=0.25, D=1),  # a core that works 0.25 s of each second
    "5.2": laws.utilisation(X=30, D=0.050, c=4),
    "5.3": laws.utilisation(X=1 / 128, D=123 + 290, c=8),  # one request that took a whole life
    "5.4": len("m w w w w w w w w g".split()) - len("m g".split()),  # master, workers, grep
    "6.1": laws.bound(N=16, D=0.050, c=4, W=2),
    "6.2": laws.bound(N=16, D=0.050, c=min(4, 1), W=16),
    "6.3": math.sqrt((320**2 + 304**2) / 10),
    "7.1": laws.bound(N=256, D=0, V=0.2, c=4, W=256),
    "7.2": laws.users(X=1000, R=0.3),
    "7.3": 1000 * laws.demand(busy=0.3 * 8, completed=1500),
    "8.1": laws.bound(N=1024, D=0, V=0.5, W=256),
    "8.2": laws.response_time_bound(N=1024, D=0, V=0.5, W=256),
    "8.3": laws.users(X=600, R=0.25),
    "8.5": next(after for after in itertools.accumulate([1, 2, 4, 8]) if after >= 4.5),
    "9.1": laws.workers_in_memory(2048, 400, 60),
    "9.2": laws.bound(N=99, D=0, V=0.5, W=laws.workers_in_memory(2048, 400, 60)),
    "9.3": next(n for n in range(99) if 5 + sum(min(2**i, 32) for i in range(n)) >= 256),
    "10.1": sum(sum(fall) == 2 for fall in itertools.product((0, 1), repeat=4)) / 2**4,
    "10.2": queueing.separate_pools((54, 202), lambda n: laws.bound(N=n, D=0, V=0.2, W=128)),
    "10.3": laws.users(X=1276, R=0.202),
    "11.1": laws.bound(N=2000, D=0.002, V=1),
    "11.2": laws.knee(D=0.002, V=1),
    "11.3": laws.bound(N=50, D=0, V=0.2, W=1),
    "12.1": laws.response_time_bound(N=100, D=0, V=0.5, W=25),
    "12.2": laws.queued(R=2, D=0, V=0.5),
    "12.3": laws.backlog(arrivals=60, X=laws.bound(N=99, D=0, V=0.5, W=25), seconds=5 * 60),
    "12.4": laws.bound(N=99, D=0.010, V=0.480, c=4, W=25),
    "13.1": laws.pool_size(D=0.020, V=0.180, c=4),
    "13.2": laws.bound(N=999, D=0.020, V=0.180, c=4, W=2 * 4 + 1),
    "13.3": laws.pool_size(D=DAILY_DEMAND_S, V=laws.wait(R=0.250, D=DAILY_DEMAND_S), c=4),
    "14.1": 1000 * laws.demand(busy=4, completed=1000),
    "14.2": laws.users(X=1000, R=laws.response_time(N=100, X=500)),
    "14.3": min(laws.ceiling(*each) for each in ((4, 5e-3), (32, 55e-3), (10, 40e-3), (1, 10e-3))),
    "14.4": laws.users(X=90, R=0.100),
    "15.1": 1e6 * laws.demand(busy=412.8, completed=3e6),
    "15.2": laws.ceiling(8, laws.demand(busy=412.8, completed=3e6)),
    "15.3": laws.ceiling(16, laws.response_time(N=1, X=1 / 0.000405)),
    "16.1": laws.generators(X=12_000, each=1_500),
    "16.2": laws.utilisation(X=1, D=0.119, c=1 / 8),
    "16.3": 1000 * laws.response_time_bound(N=100, D=37.7e-6),
    "16.4": laws.throughput(N=1000, R=0.2, Z=3),
}


def of_128_threads(users: int) -> float:
    """Requests per second of one of gunicorn's processes in chapter 10."""
    return laws.bound(N=users, D=0, V=0.2, W=128)


def coins(users: int, processes: int, threads: int) -> float:
    """The same for all processes, if each connection falls on any of them alike."""
    return queueing.coin_flips(users, processes, lambda n: laws.bound(N=n, D=0, V=0.2, W=threads))


def filled(workers: int, cores: int, *, D: float = 0.02, V: float = 0.18) -> float:
    """Part of what the cores can do that the model of chapter 13 gives such a pool."""
    capacity = tuple(range(1, cores + 1))
    return queueing.sharing(workers, D=D, V=V, capacity=capacity) * D / cores


S3_DEMAND_S = laws.demand(busy=412.8, completed=3e6)
S3_AB_S = laws.demand(busy=0.950 * 39.7, completed=1e6)
S2_DEMAND_S = laws.demand(busy=(1 - 0.6) * 4, completed=1189)  # its cores were 60 % idle

# Worked examples: a phrase of the page with a number in it, and what the law makes of it.
WORKED = (
    ("your-machine", "each core is good for {} requests", laws.ceiling(1, 0.001)),
    ("one-core", "At 50 ms that is {} ", laws.bound(N=1, D=0.05)),
    ("one-core", "16 × 50 = {} ms", 1000 * laws.response_time_bound(N=16, D=0.05)),
    ("one-core", "of which {} are spent", 1000 * laws.queued(R=0.8, D=0.05)),
    ("one-core", "response time of 3 s you get {},", laws.throughput(N=150, R=3)),
    ("one-core", "about {} users are needed", laws.knee(D=0.05, Z=0.5)),
    ("many-cores", "one user gets {} requests", laws.bound(N=1, D=0.05, c=4)),
    ("many-cores", "two get {}, four", laws.bound(N=2, D=0.05, c=4)),
    ("many-cores", "four get {}.", laws.bound(N=4, D=0.05, c=4)),
    ("many-cores", "and wait {} ms each", 1000 * laws.response_time_bound(N=8, D=0.05, c=4)),
    ("many-cores", "measured response time is {} ms", 1000 * laws.response_time(N=16, X=80)),
    ("many-cores", "Of the 200 ms, {} were", 1000 * laws.queued(R=0.2, D=0.05)),
    ("many-cores", "16 / 0.2 = {},", laws.throughput(N=16, R=0.2)),
    ("many-cores", "4 / 0.05 = {}.", laws.ceiling(4, 0.05)),
    (
        "past-the-plateau",
        "at 20 users a page takes {} ms",
        1000 * laws.response_time_bound(N=20, D=0.02, c=2),
    ),
    ("past-the-plateau", "at 200 users {} s.", laws.response_time_bound(N=200, D=0.02, c=2)),
    ("past-the-plateau", "at most {} users who ask", laws.most_users(R=1, D=0.02, c=2)),
    ("past-the-plateau", "that makes {} users", laws.most_users(R=1, D=0.02, Z=10, c=2)),
    ("past-the-plateau", "lies at {} users", laws.knee(D=0.02, Z=10, c=2)),
    (
        "past-the-plateau",
        "With 1102 they need {} s",
        laws.response_time_bound(N=1102, D=0.02, Z=10, c=2),
    ),
    ("past-the-plateau", "or {} % of 20 ms", 100 * 10 * 5e-6 / 0.02),
    ("past-the-plateau", "would have to cost {} µs", 1e6 * (0.02 / 0.8 - 0.02) / 10),
    ("past-the-plateau", "4 / 98 s = {} ms", 1000 * 4 / laws.throughput(N=1000, R=0.2, Z=10)),
    ("past-the-plateau", "at least {} % below", round(100 * (1 - 20 / 20.33), 1)),
    ("past-the-plateau", "by about {} and", round(320 / math.sqrt(10))),
    ("past-the-plateau", "and {} ms. A difference", round(304 / math.sqrt(10))),
    ("past-the-plateau", "A difference of {} ms", 1205 - 1162),
    ("watching", "One user gets {} requests", laws.bound(N=1, D=0.05, c=4)),
    ("watching", "Two users make it {} %", 100 * laws.utilisation(X=40, D=0.05, c=4)),
    ("watching", "four make it {} %.", 100 * laws.utilisation(X=80, D=0.05, c=4)),
    ("watching", "(123 + 290) / 128 = {} cores", round((123 + 290) / 128, 2)),
    ("watching", "about {} cores were at work", round((123 + 290) / (3 * 40), 1)),
    ("watching", "at most {} requests per second", laws.bound(N=99, D=0, V=0.2, W=8)),
    ("watching", "that shows as {} %", round(100 * laws.utilisation(X=1, D=0.95, c=8))),
    ("watching", "| {}, from the next row |", round(0.062 * 16, 2)),
    ("how-many-workers", "One worker gives {} requests", laws.bound(N=16, D=0.05, c=4, W=1)),
    ("how-many-workers", "two give {},", laws.bound(N=16, D=0.05, c=4, W=2)),
    ("how-many-workers", "four give {},", laws.bound(N=16, D=0.05, c=4, W=4)),
    ("how-many-workers", "sixteen give {}.", laws.bound(N=16, D=0.05, c=4, W=16)),
    ("how-many-workers", "it is {} in every case", laws.bound(N=1, D=0.05, c=4, W=16)),
    ("how-many-workers", "could serve {} a second", laws.ceiling(4, 0.05)),
    ("how-many-workers", "1/0.020 = {},", laws.ceiling(1, 0.02)),
    (
        "how-many-workers",
        "For ten requests it comes to {} ms",
        round(math.sqrt((320**2 + 304**2) / 10)),
    ),
    (
        "how-many-workers",
        "needed more than {} requests",  # so that 43 ms are two standard errors
        (320**2 + 304**2) / (43 / 2) ** 2 // 100 * 100,
    ),
    ("how-many-workers", "of 8 threads it would be {}.", laws.bound(N=16, D=0.05, c=2, W=16)),
    ("how-many-workers", "Two workers then do {} ", round(laws.bound(N=99, D=0.005, V=0.1, W=2))),
    ("how-many-workers", "up to {},", round(laws.bound(N=99, D=0.005, V=0.1, W=16))),
    ("how-many-workers", "152 × 0.005 is {} of", laws.utilisation(X=152, D=0.005)),
    ("how-many-workers", "or {} s. Test 2", round(5 * 0.624, 1)),
    ("how-many-workers", "seemed to do {} times", round(2.67 / 1.61, 2)),
    ("how-many-workers", "wait about {} ms", 1000 * laws.response_time_bound(N=4, D=0.62, W=1)),
    ("waiting-is-cheap", "two cores would serve {} requests", laws.ceiling(2, 0.2)),
    ("waiting-is-cheap", "four would serve {}.", laws.ceiling(4, 0.2)),
    ("waiting-is-cheap", "each time make {} requests", laws.bound(N=256, D=0, V=0.2)),
    ("waiting-is-cheap", "}} = {} \\text{{ ms}}", round(1000 * S2_DEMAND_S, 2)),
    ("waiting-is-cheap", "no more than {} such", round(laws.ceiling(4, S2_DEMAND_S), -1)),
    ("waiting-is-cheap", "about {} users to", round(laws.users(X=2970, R=0.2 + S2_DEMAND_S), -2)),
    ("waiting-is-cheap", "short, {} % are longer", round(100 * math.exp(-1))),
    ("waiting-is-cheap", "mean, and {} % more than three", round(100 * math.exp(-3))),
    ("waiting-is-cheap", "32 users make about {} such", laws.bound(N=32, D=0, V=0.2)),
    ("waiting-is-cheap", "a factor of {}, which", 1280 / laws.ceiling(4, 0.2)),
    ("waiting-is-cheap", "8 / 0.0016 = {} requests", laws.ceiling(8, 0.0016)),
    ("waiting-is-cheap", "four cores it gives {} workers", 2 * 4 + 1),
    ("waiting-is-cheap", "nine workers serve {} requests", laws.bound(N=99, D=0, V=0.2, W=9)),
    ("waiting-is-cheap", "there are {} ms too many", round(1000 * (256 / 1189.24 - 0.2))),
    ("the-pool", "at 200 ms makes {} requests", laws.bound(N=128, D=0, V=0.2, W=64)),
    (
        "the-pool",
        "128 users wait {} ms",
        1000 * laws.response_time_bound(N=128, D=0, V=0.2, W=64),
    ),
    ("the-pool", "With 32 workers it is {},", laws.bound(N=128, D=0, V=0.2, W=32)),
    (
        "the-pool",
        "the same users wait {} ms",
        1000 * laws.response_time_bound(N=128, D=0, V=0.2, W=32),
    ),
    ("the-pool", "200 ms each, {} workers are held", laws.users(X=1000, R=0.2)),
    ("the-pool", "and {} are left standing", 64 - 16 - 17),
    ("the-pool", "and {} were outside", 512 - 256 - 129),
    ("the-pool", "that time is {} s.", round(10_000 / 663.02, 2)),
    ("the-pool", "would have been {} s.", round(10_000 / 1189.24, 2)),
    ("the-pool", "for some {} s the", round(10_000 / 663.02 - 10_000 / 1189.24, 1)),
    ("the-pool", "20 a second are {} at once", laws.users(X=20, R=0.2)),
    ("the-pool", "256 at once are {} a second", laws.throughput(N=256, R=0.2)),
    ("prefork", "7, 9, 13, 21 and {},", 6 + 1 + 2 + 4 + 8 + min(16, 32 - 21)),
    ("prefork", "a second make that {} s", 5 / 4),
    ("prefork", "and after {} seconds to 256", FIXED["9.3"]),
    ("prefork", "a missing worker is {} % of", round(100 / 32)),
    ("prefork", "RSS: 35 + 35 + 35 = {} MiB", 3 * (5 + 30)),
    ("prefork", "PSS: 15 + 15 + 15 = {} MiB", 3 * 5 + 30),
    ("prefork", "so {} workers fit", laws.workers_in_memory(2048, 400, 60)),
    ("prefork", "they serve {} requests", FIXED["9.2"]),
    ("prefork", "32 busy workers would make {}.", laws.bound(N=32, D=0, V=0.2, W=32)),
    ("prefork", "of an ideal {} |", laws.bound(N=256, D=0, V=0.2, W=256)),
    ("prefork", "of an ideal {}, and", laws.bound(N=32, D=0, V=0.2, W=32)),
    ("threads", "give about {} requests", math.floor(coins(64, 4, 16))),
    ("threads", "an even split gives {}.", laws.bound(N=64, D=0, V=0.2, W=64)),
    ("threads", "One pool would give {}.", laws.bound(N=256, D=0, V=0.2, W=256)),
    ("threads", "| 126 and 130 | {} |", queueing.separate_pools((126, 130), of_128_threads)),
    ("threads", "| 54 and 202 | {} |", queueing.separate_pools((54, 202), of_128_threads)),
    ("threads", "Coins would give {} on", round(coins(256, 2, 128))),
    ("threads", "Coins would give {} on", round(coins(64, 4, 16) / 320, 2)),
    ("threads", "1276 × 0.202 is {},", round(laws.users(X=1276, R=0.202))),
    ("threads", "The other {} have", 512 - round(laws.users(X=1276, R=0.202))),
    ("threads", "serves at most {} requests", laws.ceiling(1, 0.040)),
    ("the-launch", "in the first five seconds 50, give or take {},", round(math.sqrt(5 * 10))),
    ("threads", "gets 128 ± {} users", math.sqrt(256 / 2 * (1 - 1 / 2))),
    ("threads", "gets 16 ± {}.", round(math.sqrt(64 / 4 * (1 - 1 / 4)), 1)),
    ("threads", "150, so {} processes", 150 / 25),
    ("threads", "400, so {} processes", 400 / 25),
    ("event-loop", "The ceiling is {} requests", laws.bound(N=9999, D=0.002, V=1)),
    ("event-loop", "and it takes {} users", laws.knee(D=0.002, V=1)),
    ("event-loop", "2000 / 1.002 s = {}.", laws.throughput(N=2000, R=1.002)),
    ("event-loop", "wait {} s each, though", laws.response_time_bound(N=2000, D=0.002, V=1)),
    ("event-loop", "Each of the fifty waits {} s", laws.response_time(N=50, X=5)),
    ("event-loop", "it would be {} requests", laws.bound(N=50, D=0, V=0.2)),
    ("event-loop", "| 256 | {} | 1189.24", laws.bound(N=256, D=0, V=0.2)),
    ("event-loop", "| 512 | {} | 663.02", laws.bound(N=512, D=0, V=0.2)),
    ("event-loop", "| 1024 | {} | –", laws.bound(N=1024, D=0, V=0.2)),
    ("event-loop", "a request cost {} ms", round(1000 * laws.demand(0.4 * 4, 1189), 2)),
    ("the-launch", "each finish {} requests", laws.bound(N=99, D=0, V=0.5, W=25)),
    ("the-launch", "makes that {} s", laws.response_time_bound(N=100, D=0, V=0.5, W=25)),
    ("the-launch", "the bound is {} requests", laws.bound(N=100, D=0, V=0.5, W=100)),
    ("the-launch", "and no more: {} with two cores", laws.bound(N=100, D=0.02, c=2, W=100)),
    ("the-launch", "must wait {} s. Only", laws.response_time_bound(N=100, D=0.02, c=2)),
    ("the-launch", "a page: worth {} requests", laws.bound(N=99, D=0, V=0.5, W=8)),
    ("the-launch", "leaves {} in line", laws.backlog(arrivals=24, X=16, seconds=10)),
    ("the-launch", "the last of them waits {} s for", 80 / 16),
    ("the-launch", "32 is worth {} requests", laws.bound(N=99, D=0, V=0.5, W=32)),
    ("the-launch", "{} for the line", 64 - 24),
    ("the-launch", "gone in {} s", 80 / (64 - 24)),
    ("the-launch", "minutes {} people wait", laws.backlog(arrivals=60, X=50, seconds=300)),
    ("the-launch", "for {} s each", laws.backlog(arrivals=60, X=50, seconds=300) / 50),
    ("the-launch", "it is {} minutes", laws.backlog(arrivals=60, X=50, seconds=900) / 50 / 60),
    ("the-launch", "in plenty: {} requests", laws.bound(N=99, D=0.02, V=0.48, c=4, W=25)),
    ("the-launch", "Now it is {}.", round(laws.bound(N=99, D=0.01, V=0.48, c=4, W=25))),
    ("the-launch", "have made it {},", round(laws.bound(N=999, D=0.02, V=0.24, c=4, W=25))),
    ("the-launch", "have made it {}, in", laws.bound(N=999, D=0.02, V=0.48, c=4, W=50)),
    ("the-launch", "Three quarters of the users, {} of", 100 - 25),
    ("the-launch", "That is {} % for half", round(100 * (0.5 / 0.49 - 1))),
    ("both-at-once", "each core: {} workers on two", laws.pool_size(D=0.02, V=0.18, c=2)),
    ("both-at-once", "on two cores, {} on four.", laws.pool_size(D=0.02, V=0.18, c=4)),
    ("both-at-once", "idle for {} % of their", round(100 * (1 - filled(40, 4)))),
    ("both-at-once", "that leaves {} of the 200", round(200 * filled(40, 4))),
    ("both-at-once", "of the {} requests per second that", laws.ceiling(4, 0.02)),
    ("both-at-once", "chance takes {} of them", 200 - round(200 * filled(40, 4))),
    ("both-at-once", "so on four cores {} workers", laws.pool_size(D=0.05, V=0.05, c=4)),
    ("both-at-once", "They bring {} % of what", round(100 * filled(8, 4, V=0.02))),
    ("both-at-once", "makes that {} %.", round(100 * filled(9, 4, V=0.02))),
    ("both-at-once", "which serve {} of the 200", laws.bound(N=99, D=0.02, V=0.18, c=4, W=9)),
    ("both-at-once", "four cores it is {} requests", round(queueing.in_step(40, 0.02, 0.18, 4))),
    ("both-at-once", "threads, here {}.", laws.knee(D=0.02, V=0.18)),
    ("both-at-once", "0.02 = {}. They are", laws.ceiling(4, 0.02)),
    ("both-at-once", "/ 200000 is {} ms", 1000 * DAILY_DEMAND_S),
    ("both-at-once", "says {} for two", round(filled(20, 2) / filled(60, 2), 2)),
    ("both-at-once", "about {} | 256", round(laws.pool_size(D=S2_DEMAND_S, V=0.2, c=4), -2)),
    ("which-limit", "through all that, {} ms.", 5 + 2 + 40 + 10),
    ("which-limit", "The shop serves {} orders", laws.ceiling(1, 0.010)),
    ("which-limit", "workers {}, lock", round(laws.ceiling(32, 0.057))),
    ("which-limit", "lock {}, database", laws.ceiling(1, 0.002)),
    ("which-limit", "ceiling is then {}.", laws.ceiling(1, 0.002)),
    ("which-limit", "serve 500? No, {}:", laws.ceiling(10, 0.040)),
    ("which-limit", "cores are {} % busy", 100 * laws.utilisation(X=100, D=0.005, c=4)),
    ("which-limit", "But only {} of the 32", laws.users(X=100, R=0.057)),
    ("which-limit", "500 s = {} ms.", 1000 * laws.demand(busy=4, completed=500)),
    ("which-limit", "cores go to {} %", 100 * 0.2 * 1000 / 500),
    ("which-limit", "500 a second are {} ms of", 1000 * laws.demand(busy=0.2 * 4, completed=500)),
    ("which-limit", "0.055 = {}. Database", round(laws.ceiling(32, 0.055))),
    ("which-limit", "fast, it would be {}.", laws.ceiling(10, 0.040)),
    ("which-limit", "the other {} wait", 40 - laws.users(X=90, R=0.1)),
    ("which-limit", "be 9 and {}.", 80 - laws.users(X=90, R=0.1)),
    ("which-limit", "workers bring {} % more", round(100 * (filled(80, 4) / filled(40, 4) - 1))),
    (
        "which-limit",
        "alone brings {} %",
        round(100 * (2 * filled(40, 4, D=0.01) / filled(40, 4) - 1)),
    ),
    ("which-limit", "4 / 0.2 s = {} |", laws.ceiling(4, 0.2)),
    ("which-limit", "256 / 0.2 s = {} |", laws.throughput(N=256, R=0.2)),
    ("which-limit", "2 / 0.62 s = {} |", round(laws.ceiling(2, 0.62), 1)),
    ("a-small-file", "must cost {} ms of CPU", round(1000 * 16 / 4764, 1)),
    ("a-small-file", "each holds it for {} ms", round(1000 / 4764, 2)),
    ("a-small-file", "user makes {}: never", round(laws.users(X=4764, R=0.000405), 1)),
    ("a-small-file", "000}} = {}\\ \\mu", round(S3_DEMAND_S * 1e6)),
    ("a-small-file", "each run. That is {} µs", round(0.950 * 39.7, 1)),
    ("a-small-file", "the tool's, {} ms were prefork's", round(0.405 - 0.21, 3)),
    ("a-small-file", "were prefork's and {} ms worker's", round(0.452 - 0.21, 3)),
    ("a-small-file", "That would be {} %", round(100 * (0.242 / 0.195 - 1))),
    ("a-small-file", "need {} µs a request", round(1e6 * (S3_DEMAND_S + S3_AB_S))),
    ("a-small-file", "figures for prefork differ by {} %", round(100 * (4824 / 4663 - 1), 1)),
    ("a-small-file", "About {} of them were spent", round(0.298 * S3_DEMAND_S * 1e6)),
    ("a-small-file", "code and {} in the kernel", round(0.702 * S3_DEMAND_S * 1e6)),
    ("a-small-file", "25,200, so {} % of", round(100 * 25_200 * S3_DEMAND_S / 8)),
    ("a-small-file", "at most {} % busy", round(100 * laws.utilisation(4764, 0.000405, 16))),
    ("a-small-file", "that would be {} a second", round(10_000 / 2.73096)),
    ("a-small-file", "It must be {} s, at 4824", round(10_000 / 4824, 3)),
    ("whom-are-you-measuring", "full thread shows as {} %", round(100 / 8)),
    (
        "whom-are-you-measuring",
        "a response time of {} ms, and",
        round(1000 * laws.response_time(N=100, X=25_200), 2),
    ),
    ("whom-are-you-measuring", "37.7 µs is {} of them", round(100 * 0.0377, 2)),
    ("whom-are-you-measuring", "request was {} ms, and", round(1000 * S3_DEMAND_S, 3)),
    (
        "whom-are-you-measuring",
        "a second waited {} ms",
        round(1000 * laws.response_time(N=50, X=4641), 1),
    ),
    ("whom-are-you-measuring", "each it takes {}, where", laws.generators(12_000, 1_500)),
    ("whom-are-you-measuring", "simple division gives {}.", 12_000 / 1_500),
    ("whom-are-you-measuring", "four cores serve {} a", laws.ceiling(4, 0.02)),
    ("whom-are-you-measuring", "1000 / 3.2 = {}.", laws.throughput(N=1000, R=0.2, Z=3)),
    ("whom-are-you-measuring", "ten connections and it reports {} ms", round(10 * 0.0377, 2)),
    ("whom-are-you-measuring", "you need {} of them", laws.users(X=1000, R=0.2, Z=3)),
    ("whom-are-you-measuring", "the tool's: {} % of its core", round(100 * 25_200 * S3_AB_S)),
)


def name(page: Page) -> str:
    return page.name


def plain(text: str) -> str:
    """On one line, without the marks of emphasis and links."""
    text = re.sub(r"\{term\}`([^`<]*?)(?: <[^`]*)?`", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"[*_]", "", text))


@pytest.mark.parametrize("page", chapters(), ids=name)
def test_a_page_has_the_lab_of_its_name(page: Page) -> None:
    names = [ast.literal_eval(call.args[0]) for call in page.calls]
    assert names[0] == page.slug
    assert len(set(names)) == len(names)


LABS = [cell for cell in recorder.cells() if cell.page in {page.path for page in chapters()}]


@pytest.mark.parametrize("cell", LABS, ids=lambda cell: cell.lab)
def test_a_lab_is_recorded_as_its_cell_asks(
    cell: recorder.Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replaying it compares what the cell asks for with what was recorded."""
    monkeypatch.setenv("LABS_MODE", "replay")
    exec(compile(cell.source, str(cell.page), "exec"), {})


def test_the_three_pages_of_the_clocks_are_those_described() -> None:
    (page,) = [page for page in chapters() if page.slug == "wall-time"]
    result = store.recording(page.slug)
    assert isinstance(result, Clocks)
    said = {
        "burn": "counts in a loop for {cpu:g} ms and answers",
        "sleep": "does nothing for {wait:g} ms and answers",
        "both": "counts for {cpu:g} ms, then does nothing for {wait:g} ms",
    }
    for each in result.run.pages:
        work = {"cpu": 1000 * each.workload.cpu_s, "wait": 1000 * each.workload.wait_s}
        assert f"**{each.name}** {said[each.name].format(**work)}" in page.text


@pytest.mark.parametrize("file", [file for cell in LABS for file in store.paths(cell.lab)], ids=str)
def test_a_recording_is_whole_and_fit(file: Path) -> None:
    result = store.read(file)
    assert file == store.path(file.parent.name, result.machine)
    assert len(result.runs) >= RUNS
    if isinstance(result, Recording):
        points = [point for run in result.runs for point in run.points]
        assert len(points) == len(result.runs) * len(result.experiment.load.users)
        assert sum(point.fit for point in points) >= FIT * len(points)


@pytest.mark.parametrize(
    "question", [each for each in QUESTIONS if each.given], ids=lambda each: each.id
)
def test_a_fixed_solution_is_what_the_law_says(question: check.Exercise) -> None:
    (printed,) = [e for page in chapters() for e in page.exercises if e.id == question.id]
    for value in (choices[0] for choices in question.given.values()):
        assert re.search(rf"(?<![\d.]){value:g}(?![\d.]*\d)", printed.question), value
    (answer,) = re.findall(r"\*\*([\d.,]+)[^*]*\*\*", printed.solution)
    truth = FIXED[question.id]
    assert math.isclose(float(answer), truth, rel_tol=0.005)
    assert check.check(question.id, float(answer)).right
    assert check.check(question.id, truth).right


@pytest.mark.parametrize(("slug", "phrase", "truth"), WORKED, ids=lambda each: str(each)[:30])
def test_a_worked_example_is_what_the_law_says(slug: str, phrase: str, truth: float) -> None:
    (page,) = [page for page in chapters() if page.slug == slug]
    words = {11.0: "eleven"}.get(round(truth, 6), f"{truth:.4g}")
    assert phrase.format(words) in plain(page.text)


def test_tables_of_the_sources_agree_with_littles_law() -> None:
    checked = 0
    for page in chapters():
        for head, rows in tables(page.text):
            if not head[-1].startswith("$X") or "CPU time" in head[-2]:
                continue
            for row in rows:
                if "measured" in row[-1]:
                    continue
                rate, response_ms = float(row[-3]), float(row[-2].removesuffix(" ms"))
                assert float(row[-1]) == round(laws.users(X=rate, R=response_ms / 1000), 2), row
                checked += 1
    assert checked == 5


def test_the_first_sources_table_is_scaled_rightly() -> None:
    (page,) = [page for page in chapters() if page.slug == "many-cores"]
    (rows,) = [rows for head, rows in tables(page.text) if head[1].startswith("S1, 4 cores")]
    assert [(int(row[0]), float(row[1])) for row in rows] == [
        (1, 5.04), (2, 10.09), (3, 15.08), (4, 20.23), (8, 20.33),
    ]  # fmt: skip
    for row in rows:
        assert float(row[3]) == round(float(row[1]) / 5.04, 2)
        response_ms = 1000 * laws.response_time(N=int(row[0]), X=float(row[1]))
        assert math.isclose(float(re.findall(r"\d+", row[2])[0]), response_ms, rel_tol=0.02)


def table_of(slug: str, title: str) -> list[list[str]]:
    """The rows of the table with that column."""
    (page,) = [page for page in chapters() if page.slug == slug]
    (rows,) = [rows for head, rows in tables(page.text) if title in head]
    return rows


def test_the_cores_of_the_first_source_follow_from_its_throughput() -> None:
    rows = table_of("watching", "S1: cores at work")
    assert [row[:2] for row in rows] == [
        ["1", "5.04"], ["2", "10.09"], ["3", "15.08"], ["4", "20.23"], ["8", "20.33"],
    ]  # fmt: skip
    for _, rate, cores, part, _ in rows:
        assert cores == f"{float(rate) * 0.198:.2f}"
        assert part == f"{100 * laws.utilisation(X=float(rate), D=0.198, c=4):.0f} %"


def test_the_trees_of_the_third_source_are_divided_rightly() -> None:
    rows = {row[0]: row[1:3] for row in table_of("watching", "S3, 8 cores")}
    for on_core, on_cpu, cores in zip(
        rows["server: On_Core"], rows["server: On_CPU"], (8, 16), strict=True
    ):
        assert math.isclose(float(on_core) / cores, float(on_cpu), rel_tol=0.005)
    assert round(0.950 / 8, 3) == float(rows["load generator: On_CPU"][0])
    assert round(100 * 123 / (123 + 290), 1) == 29.8


def test_the_four_tests_of_the_fifth_source_are_as_printed() -> None:
    rows = table_of("how-many-workers", "S5: ten requests took")
    means_s = (0.620, 0.624, 1.162, 1.205)
    assert [row[1:4] for row in rows] == [
        ["2", "1", "1.61"], ["2", "2", "2.67"], ["2", "4", "2.62"], ["4", "4", "2.51"],
    ]  # fmt: skip
    for row, mean_s in zip(rows, means_s, strict=True):
        rate, mean, took, product = row[3:7]
        assert mean.startswith(f"{1000 * mean_s:.0f} ms")
        assert rate == f"{10 / float(took.removesuffix(' s')):.2f}"
        assert product == f"{laws.users(X=float(rate), R=mean_s):.2f}"


def test_the_pools_that_fill_the_cores_are_those_of_the_model() -> None:
    for row in table_of("both-at-once", "cores $c$"):
        cores, least, part, most, nearly_all = (int(re.findall(r"\d+", cell)[0]) for cell in row)
        assert least == laws.pool_size(D=0.02, V=0.18, c=cores)
        assert part == round(100 * filled(least, cores))
        for workers, wanted in ((most, 0.95), (nearly_all, 0.99)):
            assert filled(workers - 1, cores) < wanted <= filled(workers, cores)


def test_the_race_of_the_fourth_source_is_as_printed() -> None:
    def rates(cell: str) -> list[float]:
        return [float(number) for number in re.findall(r"\d{4}", cell)]

    rows = table_of("a-small-file", "S4: prefork")
    assert [row[:3] for row in rows] == [
        ["1", "2469 (0.405 ms)", "2213 (0.452 ms)"], ["2", "–", "4007"], ["5", "4698", "4483"],
        ["10", "4663 to 4824", "4591"], ["20", "4764", "4654"], ["50", "4641", "–"],
    ]  # fmt: skip
    for _, prefork, worker, ahead, *_ours in rows:
        for rate, part in zip(rates(prefork), re.findall(r"[\d.]+", ahead), strict=False):
            found = 100 * (rate / rates(worker)[0] - 1)
            assert float(part) == round(found, 1 if "." in part else None)


def test_the_ceilings_of_the_third_source_follow_from_its_trees() -> None:
    (page,) = [page for page in chapters() if page.slug == "a-small-file"]
    for units, cost_s, said in ((8, S3_DEMAND_S, "58,000"), (1, S3_AB_S, "26,500")):
        assert said in page.text
        assert math.isclose(laws.ceiling(units, cost_s), int(said.replace(",", "")), rel_tol=0.003)
    both = laws.ceiling(8, S3_DEMAND_S + S3_AB_S)
    assert "45,600" in page.text and round(both, -2) == 45_600
    assert round(1e6 / 39.7, -2) == 25_200
    rows = {row[0]: row[1:3] for row in table_of("a-small-file", "S3, 8 cores")}
    for who, cores in (("server", (3.22, 4.49)), ("generator", (0.950, 0.062 * 16))):
        for column, on_core in enumerate(cores):
            on_cpu = float(rows[next(r for r in rows if r.startswith(who) and "CPU" in r)][column])
            assert math.isclose(on_core / (8, 16)[column], on_cpu, rel_tol=0.005)


OURS = re.compile(
    r"\b(ours|our (own )?(recording|recorded|machine|cores|server)|one of our|we (got|measured))\b",
    re.IGNORECASE,
)
A_MEASUREMENT = re.compile(r"\d\s*(%|ms\b|µs\b|s\b|seconds|req/s|requests|million|cores' worth)")


def test_our_numbers_come_from_recordings() -> None:
    """Where a sentence speaks of our measurement, or a column is ours, its figures are roles."""
    for page in chapters():
        prose = re.sub(r"```.*?```|<svg.*?</svg>", "", page.text, flags=re.DOTALL)
        for sentence in re.split(r"(?<=[.:?!])\s|\n\n", re.sub(r"^\|.*$", "", prose, flags=re.M)):
            if OURS.search(sentence):
                bare = re.sub(r"\{measured\}`[^`]*`", "", sentence)
                assert not A_MEASUREMENT.search(bare), f"{page.name}: {sentence}"
        for head, rows in tables(page.text):
            for column, title in enumerate(head):
                if OURS.search(title):
                    assert all(re.match(r"\{measured\}`|\D*$", row[column]) for row in rows), title
            for row in rows:
                if OURS.match(row[0]):
                    assert all(re.match(r"\{measured\}`|\D*$", cell) for cell in row[1:]), row


@pytest.mark.parametrize("page", chapters(), ids=name)
def test_every_number_quoted_is_in_the_recording(page: Page) -> None:
    quoted = re.findall(r"\{measured\}`([^`]+)`", page.text)
    assert "machine" in quoted, "say which machine measured"
    for text in quoted:
        lab, colon, quantity = text.partition(": ")
        found = measured(lab, quantity) if colon else measured(page.slug, text)
        assert isinstance(found, Quantity)
