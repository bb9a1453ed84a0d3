"""The process above every process tree the labs start. Not imported: run as a script.

    python -I -S reaper.py <control fd> <owner pid> <cores or -> <fds to pass or -> command ...

It stands in a session of its own, starts the command in a process group of its own, and holds
one end of a socket whose other end only the owner has. Everything below the command ends when
the owner says so, when the owner is gone (the socket closes, or another process becomes the
parent), when the command ends, or on a TERM. There is no grace: nothing the labs start has
anything to save, and a load that was stopped must not go on for another second.

On Linux it is a *child subreaper*: whatever loses its parent becomes its child, so "no child
left" means that nothing is left. Elsewhere the process group must do.
Only the standard library, and little of it: it starts in some 25 ms.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
LINUX = sys.platform == "linux"
MOST_FILES = 65536 if LINUX else 10240  # macOS refuses more than OPEN_MAX
LOOK_S = 0.25  # how often it makes sure that the owner is still its parent
LONGEST_END_S = 5.0  # a killed process that the kernel cannot end is not waited for


def prctl(option: int, value: int) -> None:
    if LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def start(command: list[str], cores: str, reaper: int) -> int:
    """Fork and exec; the process id, or OSError as from exec."""
    failed_read, failed_write = os.pipe()  # closed by a successful exec
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != reaper:
                os._exit(1)
            if cores != "-":
                os.sched_setaffinity(0, [int(core) for core in cores.split(",")])
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it; exec would too
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(failed_write, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(failed_write)
    failed = os.read(failed_read, 16)
    os.close(failed_read)
    if failed:
        os.waitpid(pid, 0)
        raise OSError(int(failed), os.strerror(int(failed)))
    return pid


def children() -> list[int]:
    """Process ids of the direct children; empty where there is no /proc."""
    mine = os.getpid()
    found = []
    for name in os.listdir("/proc") if LINUX else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            if parent == mine:
                found.append(int(name))
    return found


def end(group: int) -> dict[int, int]:
    """Kill the group and every descendant; the wait statuses of those reaped on the way."""
    statuses: dict[int, int] = {}
    deadline = time.monotonic() + LONGEST_END_S
    while time.monotonic() < deadline:
        alone = False
        try:
            os.killpg(group, signal.SIGKILL)  # at once for all: a fork in flight is restarted
        except OSError:
            alone = not LINUX  # no such group, or only zombies of it
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        try:
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                statuses[reaped[0]] = reaped[1]
        except ChildProcessError:
            if LINUX or alone:
                break
        time.sleep(0.002)
    return statuses


def main() -> None:
    control, owner = int(sys.argv[1]), int(sys.argv[2])
    cores, passed, command = sys.argv[3], sys.argv[4], sys.argv[5:]
    os.set_inheritable(control, False)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    asked_to_end = []
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: asked_to_end.append(True))

    def tell(words: str) -> None:
        try:
            os.write(control, words.encode() + b"\n")
        except OSError:
            pass  # the owner is gone

    try:
        root = start(command, cores, os.getpid())
    except OSError as error:
        return tell(f"error {error.errno}")
    quiet = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(quiet, standard)
    for fd in passed.split(",") if passed != "-" else ():
        os.close(int(fd))  # else a listening socket would outlive its server
    tell(f"pid {root}")

    status = None
    ears = select.poll()  # select() cannot take a file number above 1023
    ears.register(control, select.POLLIN)
    ears.register(wake_read, select.POLLIN)
    while status is None and not asked_to_end and os.getppid() == owner:
        ready = {fd for fd, _ in ears.poll(LOOK_S * 1000)}
        if control in ready:
            break  # a byte: end it; none: the owner is gone
        if wake_read in ready:
            os.read(wake_read, 512)
        try:
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                if reaped[0] == root:
                    status = reaped[1]
        except ChildProcessError:
            break
    statuses = end(root)
    if status is None:
        status = statuses.get(root, signal.SIGKILL)
    tell(f"exit {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main()
