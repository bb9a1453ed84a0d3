"""The process above every process tree the labs start. Not imported: run as a script.

    python -I -S reaper.py <control fd> <owner pid> <cores or -> <fds to pass or -> <records>
        command ...

It stands in a session of its own, starts the command in a process group of its own, and holds
one end of a socket whose other end only the owner has. Everything below the command ends when
the owner says so, when the owner is gone (the socket closes, or another process becomes the
parent), when the command ends, or on a TERM. There is no grace: nothing the labs start has
anything to save, and a load that was stopped must not go on for another second. What an owner
that is gone can no longer remove goes too: the tree's record, and the owner's temporary folders.

On Linux it is a *child subreaper*: whatever loses its parent becomes its child, so "no child
left" means that nothing is left. Elsewhere the process group must do.
Only the standard library, and little of it: it starts in some 25 ms.
"""

import contextlib
import os
import resource
import select
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
LINUX = sys.platform == "linux"
MARK, FOLDER = "WALL_TIME_TREE", ".folder"  # as labs.host.process_tree has them
MOST_FILES = 65536 if LINUX else 10240  # macOS refuses more than OPEN_MAX
LOOK_S = 0.25  # how often it makes sure that the owner is still its parent
GONE_S = 1.0  # from the end of an owner's sockets to its own
LONGEST_END_S = 5.0  # a killed process that the kernel cannot end is not waited for


def prctl(option: int, value: int) -> None:
    """Linux's own settings of a process; nothing elsewhere."""
    if LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def start(command: list[str], cores: str) -> int:
    """Fork and exec; the process id, or OSError as from exec."""
    reaper = os.getpid()
    failed_read, failed_write = os.pipe()  # closed by a successful exec
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == reaper:  # else it died before that was set
                prepare(cores)
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


def prepare(cores: str) -> None:
    """Set what the command finds: its cores, as many open files as allowed, signals as usual."""
    if cores != "-":
        os.sched_setaffinity(0, [int(core) for core in cores.split(",")])
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ignored by Python, and so by what it starts
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def let_go(passed: str) -> None:
    """Close what was only meant for the command: a listening socket must not outlive it."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(quiet, standard)
    for fd in passed.split(",") if passed != "-" else ():
        os.close(int(fd))


def watch(root: int, control: int, owner: int) -> int | None:
    """Return when the tree has to end: with the root's wait status if that is why."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    asked_to_end: list[int] = []
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: asked_to_end.append(number))
    signal.signal(signal.SIGCHLD, lambda *_: None)  # only to wake up
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    ears = select.poll()  # select() cannot take a file number above 1023
    ears.register(control, select.POLLIN)
    ears.register(wake_read, select.POLLIN)
    while not asked_to_end and os.getppid() == owner:
        statuses: dict[int, int] = {}
        reap(statuses)
        if root in statuses:
            return statuses[root]
        ready = {fd for fd, _ in ears.poll(LOOK_S * 1000)}
        if control in ready:
            break  # a byte: end it; none: the owner is gone
        if wake_read in ready:
            os.read(wake_read, 512)
    return None


def closed(control: int) -> bool:
    """Whether the owner's end of the socket is closed."""
    os.set_blocking(control, False)
    try:
        while os.read(control, 64):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def reap(statuses: dict[int, int]) -> bool:
    """Note the wait statuses of the children that ended; whether any child is left."""
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            statuses[ended[0]] = ended[1]
        return True
    except ChildProcessError:
        return False


def end(group: int) -> dict[int, int]:
    """Kill the group and every descendant; the wait statuses of those reaped on the way."""
    statuses: dict[int, int] = {}
    deadline = time.monotonic() + LONGEST_END_S
    while time.monotonic() < deadline:
        try:
            os.killpg(group, signal.SIGKILL)  # all at once: a fork in flight does not escape
            group_gone = False
        except OSError:
            group_gone = True  # or only its zombies are left
        for pid in children():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not reap(statuses) and (LINUX or group_gone):
            break
        time.sleep(0.002)
    return statuses


def children() -> list[int]:
    """Process ids of the direct children; empty where there is no /proc."""
    mine, found = str(os.getpid()).encode(), []
    for name in os.listdir("/proc") if LINUX else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = file.read().rpartition(b")")[2].split()[1]
            except OSError:
                continue  # it ended while we looked
            if parent == mine:
                found.append(int(name))
    return found


def tidy(records: str, owner: int) -> None:
    """Remove what a killed owner leaves: the record of this tree and the folders of that owner. Of
    several reapers the last one finds nothing in use."""
    import json
    import shutil

    own = os.path.join(records, f"{os.environ[MARK]}.json")
    with contextlib.suppress(OSError, ValueError):
        with open(own, "rb") as file:
            owner_born = json.load(file)["owner_born"]
        for name in os.listdir(records):
            record = os.path.join(records, name)
            with contextlib.suppress(OSError, ValueError):
                if name.endswith(FOLDER):
                    with open(record, "rb") as file:
                        folder = json.load(file)
                    if (folder["owner"], folder["owner_born"]) == (owner, owner_born):
                        shutil.rmtree(folder["path"], ignore_errors=True)
                        if not os.path.exists(folder["path"]):
                            os.unlink(record)
        os.unlink(own)


def main(control: int, owner: int, cores: str, passed: str, records: str, *command: str) -> None:
    """Start the command, stay until its time has come, end all of it, and say how it ended."""
    os.set_inheritable(control, False)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        root = start(list(command), cores)
    except OSError as error:
        os.write(control, f"error {error.errno}\n".encode())
        return
    let_go(passed)
    status = None
    with contextlib.suppress(BrokenPipeError):  # the owner is gone already
        os.write(control, f"pid {root}\n".encode())
        status = watch(root, control, owner)
    statuses = end(root)
    heard = status is not None or not closed(control)
    deadline = time.monotonic() + GONE_S
    while not heard and os.getppid() == owner and time.monotonic() < deadline:
        time.sleep(0.002)
    if os.getppid() != owner:
        tidy(records, owner)
    if status is None:
        status = statuses.get(root, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.write(control, f"exit {os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
