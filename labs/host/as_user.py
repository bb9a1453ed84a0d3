"""Run a command as another user. Not imported: run as a script, by root.

    python -I -S as_user.py <user> <command> ...

What some programs refuse to root (PostgreSQL) is theirs then. Linux forgets, when a process
changes its user, that it shall die with its parent; so that is asked for again.
"""

import ctypes
import os
import pwd
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(user: str, *command: str) -> None:
    """Run the command in this process's place. KeyError for no such user, OSError as from exec."""
    parent, who = os.getppid(), pwd.getpwnam(user)
    libc = ctypes.CDLL(None)
    os.setgroups([])
    os.setgid(who.pw_gid)
    os.setuid(who.pw_uid)
    if sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() == parent:  # else it died before that was asked for
        os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
