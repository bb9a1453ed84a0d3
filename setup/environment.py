"""Make the environment in .venv, or say in one sentence why not.

    python3 setup/environment.py [--dev]

This file parses under any Python, so that one too old can say which to get. What follows
once the version is right is in install.py.
"""

import os
import subprocess
import sys

OLDEST = (3, 12) if sys.platform == "darwin" else (3, 11)  # gevent has no wheel for 3.11 there
NEWEST = (3, 14)  # that is tested; a newer one may do, too
UNHEARD_OF = (3, 20)  # where the search for a Python on PATH ends
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def is_new_enough(python):
    """Whether that command is a Python that runs Wall Time; it may be missing or a mere stub."""
    question = "import sys; sys.exit(sys.version_info < %r)" % (OLDEST,)
    try:
        with open(os.devnull, "w") as nowhere:
            command = [python, "-c", question]
            return subprocess.call(command, stdout=nowhere, stderr=nowhere) == 0
    except OSError:
        return False


def better_python():
    """The environment's own Python, else the newest on PATH that is tested, else a newer one; None
    where none will do."""
    minors = list(range(NEWEST[1], OLDEST[1] - 1, -1)) + list(range(NEWEST[1] + 1, UNHEARD_OF[1]))
    numbered = ["python3.%d" % minor for minor in minors]
    numbered.insert(0, os.path.join(ROOT, ".venv", "bin", "python"))
    for python in numbered:
        if is_new_enough(python):
            return python
    return None


def main():
    """Hand over to install.py, here or in a Python that can run it; else say what to get."""
    if sys.version_info >= OLDEST:
        if sys.version_info[:2] > NEWEST:
            sys.stderr.write(
                "Wall Time is tested with Python %d.%d to %d.%d and this is %d.%d: if something "
                "fails, name another, as in `make read PYTHON=python%d.%d`.\n"
                % (OLDEST + NEWEST + tuple(sys.version_info[:2]) + NEWEST)
            )
        from install import main

        return main(sys.argv[1:])
    python = better_python()
    if python:
        os.execvp(python, [python] + sys.argv)
    sys.stderr.write(
        "Wall Time needs Python %d.%d or newer and this is %d.%d: install a newer one, "
        "then name it, as in `make read PYTHON=python%d.%d`.\n"
        % (OLDEST + tuple(sys.version_info[:2]) + OLDEST)
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
