"""Nothing that the labs start outlives whoever started it."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from waiting import eventually

from labs.host import process_tree, supervisor
from labs.host.folders import own_folder
from labs.host.process_tree import MARK, Tree, born, here, sweep
from labs.host.supervisor import (
    LEFT_OUT,
    REAPER,
    NotStarted,
    Supervised,
    descendants,
    supervise,
    unsettled,
)
from labs.host.waiting import Stopped
from labs.records.errors import Failed, Unusable
from labs.records.experiment import Server
from labs.servers.serve import serve

pytestmark = pytest.mark.live

GONE_S = 3.0  # by the law it is 1 s; these tests share the machine
ROOT = REAPER.parents[2]
NOBODY = 65534  # a user id that is not root's
FORKS = "OBJC_DISABLE_INITIALIZE_FORK_SAFETY"
PYTHON = [sys.executable, "-I", "-S", "-c"]

# A command with a child, a grandchild, and a child that left for a session of its own, none of
# which minds a TERM. It says their process ids and stays.
FAMILY = textwrap.dedent("""
    import os, signal, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, lambda *_: os.write(1, b"interrupted "))
    signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"ended\\n"))
    def child(then=lambda: None):
        if pid := os.fork():
            return pid
        then()
        while True:
            time.sleep(60)
    def left():
        os.setsid()
        os.write(told, b"%d " % child())
    read, told = os.pipe()
    pids = [os.getpid(), child(lambda: os.write(told, b"%d " % child())), child(left)]
    said = b""
    while said.count(b" ") < 2:
        said += os.read(read, 99)
    print(*pids, said.decode(), flush=True)
    while True:
        time.sleep(60)
""")
# An owner that starts a family, passes its words on, and waits.
OWNER = textwrap.dedent("""
    import subprocess, sys, time
    from labs.host.supervisor import supervise
    with supervise(sys.argv[1:], stdout=subprocess.PIPE) as family:
        print(family._tree.reaper, family.stdout.readline().decode(), end="", flush=True)
        for line in family.stdout:
            print(line.decode(), end="", flush=True)
""")

OWNER_OF_FOLDER = (
    textwrap.dedent("""
    from labs.host.folders import own_folder
    held = own_folder()
    (held.__enter__() / "log").write_text("x")
""")
    + OWNER
)

CUT_OFF = textwrap.dedent("""
    import threading
    from labs.host import folders, supervisor
    inside = threading.Event()
    def measure():
        with folders.own_folder() as folder:
            (folder / "log").write_text("x")
            inside.set()
            threading.Event().wait()
    threading.Thread(target=measure, daemon=True).start()
    inside.wait()
""")


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if born(pid)]


def gone(pids: list[int]) -> None:
    eventually(lambda: not alive(pids), GONE_S, f"the end of {pids}")


def words(supervised: Supervised) -> list[int]:
    assert supervised.stdout is not None
    return [int(word) for word in supervised.stdout.readline().split()]


def not_started(
    error: type[Exception], words: str, argv: list[str], cores: list[int] | None = None
) -> None:
    """Try it, and see it refused in these words."""
    with pytest.raises(error, match=words), supervise(argv, cores=cores):
        pass


@contextlib.contextmanager
def owner(program: str = OWNER) -> Iterator[tuple[subprocess.Popen[str], int, list[int]]]:
    """Somebody else who started a family: the process, its reaper, the family."""
    command = [sys.executable, "-c", program, *PYTHON, FAMILY]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            reaper, *family = map(int, process.stdout.readline().split())
            assert len(alive([reaper, *family])) == 6
            yield process, reaper, family
        finally:
            process.kill()


def test_supervise_passes_on_no_setting_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = ("UVICORN_WORKERS", "GUNICORN_CMD_ARGS", "LOCUST_MODE_WORKER", "PGHOST")
    for name in (*foreign, "WEB_CONCURRENCY", "NODE_OPTIONS"):
        monkeypatch.setenv(name, "1")
    program = "import os; print(*os.environ)"
    with supervise([*PYTHON, program], stdout=subprocess.PIPE) as command:
        assert command.stdout is not None
        names = command.stdout.read().decode().split()
    assert {MARK, "PATH"} <= set(names)
    assert not [name for name in names if name.startswith(LEFT_OUT)]


@pytest.mark.parametrize(("system", "said"), [("darwin", {FORKS: "YES"}), ("linux", {})])
def test_unsettled_lets_a_command_fork_on_a_mac(
    system: str, said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    assert unsettled({}) == said


def test_supervise_takes_what_popen_takes(tmp_path: Path) -> None:
    program = "import os, sys; print(os.getcwd(), *sorted(os.environ), sys.stdin.read())"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    env = {"WORD": "hello", "PGHOST": "elsewhere", "LC_CTYPE": "C"}
    with supervise([*PYTHON, program], env=env, cwd=tmp_path, **pipes) as command:
        assert command.stdin is not None and command.stdout is not None
        command.stdin.write(b"from a pipe")
        command.stdin.close()
        said = command.stdout.read().decode()
    assert said == f"{tmp_path} LC_CTYPE {MARK} WORD from a pipe\n"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_socket_that_is_passed_on_is_the_command_s_and_not_the_reaper_s() -> None:
    def held(pid: int) -> bool:
        found = set()
        for each in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # closed meanwhile
                found.add(str(each.readlink()))
        return socket_id in found

    with socket.create_server(("127.0.0.1", 0)) as passed:
        socket_id = f"socket:[{os.fstat(passed.fileno()).st_ino}]"
        stays = [*PYTHON, "import time; time.sleep(60)"]
        with supervise(stays, pass_fds=[passed.fileno()]) as command:
            assert held(command.pid)
            eventually(lambda: not held(command._tree.reaper), GONE_S, "the reaper to let go")


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("raise SystemExit(7)", 7),
        ("pass", 0),
        (f"import os; os.kill(os.getpid(), {signal.SIGUSR1:d})", -signal.SIGUSR1),
    ],
)
def test_poll_is_the_exit_code_of_the_command_or_minus_the_signal(program: str, code: int) -> None:
    with supervise([*PYTHON, program]) as command:
        eventually(lambda: command.poll() is not None, GONE_S)
    assert command.poll() == code


@pytest.mark.parametrize(
    ("counter", "words"),
    [
        ("sys/fs/cgroup/memory.events", "low 0\noom 2\noom_kill {}\n"),
        ("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\noom_kill {}\n"),
        ("proc/vmstat", "nr_free_pages 9\noom_kill {}\n"),
    ],
)
def test_ending_names_memory_where_the_kernel_killed_for_want_of_it(
    counter: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file, text in (("proc/self/cgroup", "4:memory:/\n0::/\n"), (counter, words.format(1))):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.setattr(supervisor, "MACHINE", tmp_path)
    with supervise([*PYTHON, "input()"]) as command:
        assert "somebody killed it" in command.ending(-9)
        (tmp_path / counter).write_text(words.format(2))
        assert "memory was full" in command.ending(-9)
        assert command.ending(1) == "exit code 1"


def test_supervise_refuses_a_command_and_cores_that_are_not_there() -> None:
    not_started(FileNotFoundError, "no-such-command", ["no-such-command", "--option"])
    assert not list(process_tree.state_folder().glob("*.new"))
    give = r"cores=\[99999\]: " + ("give some" if hasattr(os, "sched_setaffinity") else ".*cannot")
    not_started(ValueError, give, ["true"], cores=[99999])


@pytest.fixture
def most_files() -> Iterator[int]:
    """How many files this process may be let open; how many it may is as before after the test."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_supervise_lets_a_command_open_as_many_files_as_the_system_does(most_files: int) -> None:
    program = "import resource; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, most_files))
    with supervise([*PYTHON, program], stdout=subprocess.PIPE) as command:
        least = 10240 if most_files == resource.RLIM_INFINITY else min(most_files, 10240)
        assert words(command)[0] >= least


def test_kill_ends_the_whole_tree() -> None:
    with supervise([*PYTHON, FAMILY], stdout=subprocess.PIPE) as command:
        family = words(command)
        assert command.pid == family[0]
        assert command._tree.reaper not in command.pids()
        assert set(family[:3]) <= set(command.pids()) | {family[2]}
        assert set(descendants(command.pid)) == set(family[1:])
        command.kill()
        assert not alive(family)
        command.kill()
        assert command.poll() == -signal.SIGKILL


def test_kill_is_done_by_the_reaper(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does so as soon as it is told; only where it does not answer, the owner does."""
    monkeypatch.setattr(supervisor, "ANSWER_S", 60.0)
    with supervise([*PYTHON, FAMILY], stdout=subprocess.PIPE) as command:
        family, told = words(command), time.monotonic()
        command.kill()
        assert time.monotonic() - told < 30.0
        assert not alive(family)


def test_supervise_ends_a_stopped_tree_too_however_its_block_ends() -> None:
    family = []
    with (
        contextlib.suppress(ZeroDivisionError),
        supervise([*PYTHON, FAMILY], stdout=subprocess.PIPE) as command,
    ):
        family = words(command)
        for pid in family:
            os.kill(pid, signal.SIGSTOP)
        raise ZeroDivisionError
    assert family and not alive(family)


@pytest.mark.parametrize("killed", ["command", "reaper"])
def test_poll_notices_a_killed_command_or_reaper_and_ends_the_tree(killed: str) -> None:
    with supervise([*PYTHON, FAMILY], stdout=subprocess.PIPE) as command:
        family = words(command)
        os.kill(command.pid if killed == "command" else command._tree.reaper, signal.SIGKILL)
        assert eventually(lambda: command.poll() is not None, GONE_S)
        assert not alive(family)


def test_a_tree_outlives_the_thread_that_started_it() -> None:
    held = contextlib.ExitStack()
    started: list[Supervised] = []

    def start() -> None:
        started.append(held.enter_context(supervise([*PYTHON, FAMILY], stdout=subprocess.PIPE)))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    with held:
        family = words(started[0])
        with pytest.raises(AssertionError):  # the reaper looks at its parent four times a second
            eventually(lambda: len(alive(family)) < len(family), within_s=0.6)
    assert not alive(family)


def test_a_killed_owner_that_has_forked_leaves_nothing() -> None:
    """Its copy holds the reaper's socket open, but the reaper watches its parent."""
    forked = OWNER.replace("print(", "import os; os.fork() or time.sleep(2); print(", 1)
    with owner(forked) as (process, reaper, family):
        process.kill()
        process.wait()
        gone([reaper, *family])


def test_a_killed_owner_leaves_no_file(temporary: Path) -> None:
    """Neither the tree's record nor the owner's temporary folders, which Python would remove;
    those of other owners stay."""
    with own_folder() as ours, owner(OWNER_OF_FOLDER) as (process, reaper, family):
        state = process_tree.state_folder()
        (theirs,) = set(temporary.glob("wall-time-*")) - {ours, state}
        assert (theirs / "log").exists() and len(list(state.iterdir())) == 3
        process.kill()
        process.wait()
        gone([reaper, *family])
        assert not theirs.exists() and ours.exists()
        (record,) = state.iterdir()
        assert str(ours) in record.read_text()
    assert list(temporary.iterdir()) == [state] and not list(state.iterdir())


def test_an_owner_that_exits_in_the_middle_leaves_no_file(temporary: Path) -> None:
    """A kernel that is restarted cuts off the thread that measures."""
    subprocess.run([sys.executable, "-c", CUT_OFF], cwd=ROOT, check=True)
    assert not [each for each in temporary.rglob("*") if not each.is_dir()]


@pytest.mark.usefixtures("temporary")
def test_own_folder_goes_when_no_file_can_be_opened(most_files: int) -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    with own_folder() as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("one")
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, most_files))
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (3, most_files)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most_files))
    assert not folder.exists() and not list(process_tree.state_folder().iterdir())


@pytest.mark.usefixtures("temporary")
def test_own_folder_is_not_forgotten_while_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    with own_folder() as folder:
        monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
    recorded = list[str]()
    for record in process_tree.state_folder().iterdir():
        with contextlib.suppress(FileNotFoundError):  # of whoever else runs in this process
            recorded.append(record.read_text())
    assert folder.exists() and any(str(folder) in each for each in recorded), recorded


def test_a_tree_hears_no_interrupt_of_its_owner_s_group() -> None:
    says_so = "import os, signal; signal.signal(2, lambda *_: os.write(1, b'owner\\n')); import"
    with owner(OWNER.replace("import", says_so, 1)) as (process, _, family):
        assert process.stdout is not None
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "owner\n"
        os.kill(family[0], signal.SIGINT)  # had it been hit before, it would say so twice
        os.kill(family[0], signal.SIGUSR1)
        assert process.stdout.readline() == "interrupted ended\n"
        assert len(alive(family)) == len(family)


def test_supervise_says_so_where_its_reaper_ended_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reaper.py").write_text("")
    monkeypatch.setattr(supervisor, "REAPER", tmp_path / "reaper.py")
    not_started(NotStarted, r"watches over it was ended first\. Run again", ["true"])
    assert issubclass(NotStarted, Failed)  # so that panel and terminal say it as it is


def test_sweep_ends_what_a_killed_owner_and_a_killed_reaper_left(temporary: Path) -> None:
    with owner(OWNER_OF_FOLDER) as (process, reaper, family):
        os.kill(process.pid, signal.SIGSTOP)  # so that it cannot see to it
        os.kill(reaper, signal.SIGKILL)
        process.kill()
        process.wait()
        if sys.platform == "linux":
            gone(family[:1])  # the command ends with its reaper, the rest do not
        assert alive(family)
        assert sweep() >= len(alive(family))
        gone(family)
        assert sweep() == 0
    assert list(temporary.iterdir()) == [process_tree.state_folder()]


def test_sweep_leaves_the_living_alone(temporary: Path) -> None:
    with (
        owner(OWNER_OF_FOLDER) as (_, _, theirs),
        supervise([*PYTHON, FAMILY], stdout=subprocess.PIPE) as ours,
    ):
        family = words(ours)
        assert sweep() == 0
        assert len(alive([*theirs, *family])) == 10
        assert list(temporary.glob("*/log"))


@pytest.mark.usefixtures("temporary")
def test_sweep_does_not_take_a_number_that_was_given_away() -> None:
    """The reaper's number now belongs to another process, which must not suffer."""
    with subprocess.Popen(
        [*PYTHON, "import time; time.sleep(60)"], start_new_session=True
    ) as other:
        tree = Tree(
            mark="0" * 32,
            where=here(),
            owner=other.pid,
            owner_born="1",
            reaper=other.pid,
            reaper_born="1",
        )
        process_tree.remember(tree)
        path = process_tree.state_folder() / f"{tree.mark}.json"
        assert path.exists()
        assert sweep() == 0
        assert not path.exists()
        assert other.poll() is None
        other.kill()


@pytest.mark.usefixtures("temporary")
def test_sweep_leaves_another_containers_records_and_removes_damaged_ones() -> None:
    foreign = Tree(mark="f" * 32, where="elsewhere", owner=1, owner_born="1", reaper=os.getsid(0))
    process_tree.remember(foreign)
    (process_tree.state_folder() / "damaged.json").write_text("{")
    assert sweep() == 0
    (kept,) = process_tree.state_folder().iterdir()
    assert msgspec.json.decode(kept.read_bytes(), type=Tree) == foreign


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of a user who has no other; the home is another."""
    (folder := tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def link_elsewhere(place: Path) -> None:
    (elsewhere := place.with_name("elsewhere")).mkdir(mode=0o700)
    place.symlink_to(elsewhere)


def made_by_somebody_else(place: Path) -> None:
    place.mkdir(mode=0o700)
    os.chown(place, NOBODY, NOBODY)


@pytest.mark.parametrize(
    "put",
    [
        lambda place: place.mkdir(mode=0o750),
        Path.touch,
        link_elsewhere,
        pytest.param(
            made_by_somebody_else,
            marks=pytest.mark.skipif(os.getuid() != 0, reason="only root makes one of another's"),
        ),
    ],
    ids=["open", "file", "link", "another's"],
)
def test_state_folder_that_is_taken_is_left_for_the_cache(
    temporary: Path, put: Callable[[Path], None]
) -> None:
    put(temporary / f"wall-time-{os.getuid()}")
    folder = process_tree.state_folder()
    assert folder.is_relative_to(temporary.with_name("home"))
    assert folder.stat().st_mode & 0o777 == 0o700 and process_tree.state_folder() == folder
    folder.chmod(0o750)
    with pytest.raises(Unusable, match=r"only you can enter.*TMPDIR"):
        process_tree.state_folder()


def test_state_folder_is_where_nobody_else_can_make_one(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runtime folder that the system gives each user, but only where it is as promised."""
    runtime = temporary / "runtime"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    assert process_tree.state_folder().parent == temporary
    runtime.mkdir(mode=0o755)
    assert process_tree.state_folder().parent == temporary
    runtime.chmod(0o700)
    assert process_tree.state_folder().parent == runtime
    monkeypatch.chdir(temporary)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "runtime")
    assert process_tree.state_folder().parent == temporary


def test_kill_while_256_workers_start_takes_less_than_a_second() -> None:
    """Unlike gunicorn's own TERM, which waits until all of them have started."""
    stop, told, seen = threading.Event(), list[float](), set[int]()
    before = set(descendants(os.getpid()))  # a browser of other tests may be running

    def stop_in_the_middle() -> None:
        eventually(
            lambda: len(set(descendants(os.getpid())) - before) > 40, 20.0, "the first workers"
        )
        seen.update(set(descendants(os.getpid())) - before)
        told.append(time.monotonic())
        stop.set()

    thread = threading.Thread(target=stop_in_the_middle)
    thread.start()
    with pytest.raises(Stopped), serve(Server("prefork", processes=256), stop=stop):
        pass
    assert time.monotonic() - told[0] < 1.0
    thread.join()
    assert 40 < len(seen) < 256
    assert not alive(list(seen))
