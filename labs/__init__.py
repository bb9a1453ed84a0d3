"""Wall Time's labs: start a real server, drive it, and set the measurement against the law."""
