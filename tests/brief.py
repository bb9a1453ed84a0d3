"""How a run calibrates and warms up in passing: a second less, for whoever is not about speed."""

from labs.measure import burners, warmup

BRIEF = (  # module, constant, seconds
    (burners, "BURN_S", 0.03),
    (burners, "WARM_S", 0.02),
    (burners, "HOT_S", 0.05),
    (warmup, "EMPTY_S", 0.3),
    (warmup, "CROWD_S", 0.3),
    (warmup, "ALONE_S", 0.15),
)
