"""Questions in an earlier book's words, by which readers' bets are still kept, and in today's: of
the same meaning, and the same unit. Pure."""

_LOST = "without a lock, how many per cent of the additions will be lost"
REWORDED = {
    "without a lock, which part of the additions will be lost": _LOST,
    "without a lock, which part of the additions will be lost, in per cent": _LOST,
}
