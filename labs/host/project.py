"""Where this project lies: the folder that holds `labs`, `workloads` and, in a clone, the book."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
