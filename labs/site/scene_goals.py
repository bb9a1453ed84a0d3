"""What a page can ask of the reader at a scene, in words; when it is reached, the scene itself says
(`goals` in book/web/src/scenes)."""

GOALS: dict[str, dict[str, str]] = {
    "shop": {
        "turned-away": "Send so many that one of them finds no place and is turned away.",
        "time-to-think": "Keep all 16 users, and let an answer take 100 ms at most, on average.",
        "all-cores": "Find the fewest users that keep all four cores busy.",
        "within-a-second": "Find the most users who are answered within a second.",
        "fewest-cores": (
            "Take cores away: how few still give these 256 users more than 1200 answers a second?"
        ),
        "smallest-pool": ("Find the smallest pool with which none of the 96 users stands in line."),
        "everybody-in": "Let all 64 users in, without another worker.",
        "hundred-a-second": "Find the smallest limit that serves 100 requests a second.",
        "line-is-gone": (
            "Let a line of 50 grow, then make it go away while 24 a second keep coming."
        ),
        "cores-filled": (
            "Find a pool of fewer than 50 workers that keeps the four cores 95 % busy."
        ),
    },
    "curves": {
        "trap-is-right": "Find a number of users for which cores / R is nearly right.",
    },
    "little": {
        "break-the-law": (
            "Find a way to make X · R differ from the requests inside, over the whole time watched."
        ),
    },
    "lanes": {
        "both-cores": "Keep all cores busy with one process.",
        "lock-is-full": "Find the fewest threads that never leave the lock free.",
        "everybody-waits": "Make every request of the loop late with a single call.",
    },
    "journey": {
        "mostly-waiting": "Let less than 10 % of the wall time be CPU time.",
        "log-is-quick": "Let the client’s answer take ten times what the server’s log says.",
        "tool-doubles": (
            "Let Locust report twice what the server’s log says, and leave the server alone."
        ),
    },
    "interleave": {
        "only-two": (
            "Let two threads add three times each, and leave only 2 of the six in the counter."
        ),
        "side-by-side": (
            "Find a lock with which nothing is lost, although both threads are at work at once."
        ),
    },
    "deal": {
        "spare-threads": (
            "Find the fewest threads for each of four processes with which at most one of the "
            "64 users waits, on average."
        ),
    },
    "pages": {
        "weigh-late": (
            "Find the most workers that still fit when each of them has given 40 answers."
        ),
    },
    "ramp": {
        "slow-morning": (
            "Keep 5 workers at first, and let all 256 users come so slowly that never more than "
            "10 stand outside."
        ),
        "doors-open": (
            "All 256 come at once. With how few workers at first does nobody stand outside after "
            "10 seconds?"
        ),
    },
    "ceilings": {
        "one-repair": "Turn one thing only, until it serves more than 200 a second.",
        "same-height": "Find the pool whose ceiling is as high as that of the cores.",
    },
    "samples": {
        "nine-of-ten": (
            "Find the fewest requests with which nine pairs of ten show the difference."
        ),
        "no-difference": (
            "Two servers that are equal: let the interval claim a difference all the same."
        ),
    },
    "core-hopping": {
        "one-is-full": "One core is always full. Turn what is averaged until you see it.",
    },
    "quota": {
        "never-stopped": "Find the most workers that this quota never stops.",
    },
}
