"""A PostgreSQL of the labs' own: found, made for a run, asked, and gone with it."""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from surroundings import program
from waiting import eventually

from labs import __main__ as command_line
from labs.host import programs
from labs.host.monitor import Sampler
from labs.host.process_tree import MARK
from labs.host.programs import POSTGRESQL
from labs.records.errors import ServerFailed, Unusable
from labs.records.experiment import Workload
from labs.servers import postgresql, storage
from labs.servers.postgresql import SETTINGS, serve_postgresql
from labs.servers.storage import CHOICE, shared_folder

ROOT = Path(__file__).parents[2]
REMEDY = "Install it with: apt-get install postgresql"
WORK = Workload(wait_s=0.02, wait_by="database")
ROWS = 1_000_000  # that it counts, which takes it a tenth of a second or more
LEAST_CPU_S = 0.02
SOON_S = 5.0

psycopg = pytest.importorskip("psycopg", reason="make test installs it")
needed = pytest.mark.skipif(postgresql.missing() is not None, reason=str(postgresql.missing()))


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has only what a test puts into PostgreSQL's folders."""
    empty = tmp_path / "empty"
    empty.mkdir()
    if setpriv := programs.SETPRIV.path():  # which root needs
        (empty / "setpriv").symlink_to(setpriv)
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.delenv(CHOICE, raising=False)
    monkeypatch.setattr(programs, "MORE", str(empty))
    monkeypatch.setattr(programs, "POSTGRESQL_FOLDERS", (f"{tmp_path}/postgresql/*/bin",))
    return tmp_path / "postgresql"


def installed(folder: Path, version: str, *names: str) -> Path:
    """Programs that say that version, where Debian has them."""
    place = folder / version.partition(".")[0] / "bin"
    place.mkdir(parents=True)
    for name in names:
        program(place / name, f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
    return place


# -- what is here ----------------------------------------------------------------------------


def test_programs_finds_the_newest_of_debian_s_postgresqls_off_the_path(nothing_here: Path) -> None:
    former = installed(nothing_here, "15.18", "postgres")
    assert postgresql.missing() == REMEDY  # a server without its initdb
    shutil.copy(former / "postgres", former / "initdb")
    installed(nothing_here, "9.6", "postgres", "initdb")
    newest = installed(nothing_here, "17.2", "postgres")
    assert POSTGRESQL.path() == str(newest / "postgres")
    assert programs.version(POSTGRESQL) == "17.2"
    shutil.rmtree(newest.parent)
    assert programs.named(POSTGRESQL) == "PostgreSQL 15.18"
    assert postgresql.missing() is None
    shutil.rmtree(nothing_here / "15")
    assert "too old" in str(postgresql.missing())


def test_labs_servers_lists_postgresql(
    nothing_here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def row() -> list[str]:
        assert command_line.servers(argparse.Namespace()) == command_line.OK
        lines = capsys.readouterr().out.splitlines()
        (found,) = (line.split() for line in lines if "postgresql" in line.split()[:2])
        return found

    assert row() == ["database", "postgresql", *REMEDY.split()]
    installed(nothing_here, "15.18", "postgres", "initdb")
    assert row() == ["database", "postgresql", "15.18"]


def test_database_is_sqlite_without_server_or_driver_and_says_why(
    nothing_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = storage.database()
    assert found.name.startswith("SQLite 3.") and REMEDY in found.instead
    with shared_folder(WORK) as shared:
        assert shared is not None and shared.address == ""
        assert shared.settings["WALL_TIME_POSTGRESQL"] == ""
    installed(nothing_here, "15.18", "postgres", "initdb")
    assert storage.database() == storage.Database("PostgreSQL 15.18")
    monkeypatch.setitem(sys.modules, "psycopg", None)  # as Python itself blocks an import
    found = storage.database()
    assert found.name.startswith("SQLite 3.")
    assert f"pip install '{postgresql.DRIVER}'" in found.instead
    monkeypatch.setenv(CHOICE, "postgresql")
    with pytest.raises(Unusable, match=r"WALL_TIME_DATABASE='postgresql': it is not here. Install"):
        storage.database()
    monkeypatch.setenv(CHOICE, "sqlite")
    assert storage.database().instead == "WALL_TIME_DATABASE=sqlite asks for it."
    monkeypatch.setenv(CHOICE, "oracle")
    with pytest.raises(Unusable, match="WALL_TIME_DATABASE='oracle': no such database"):
        storage.database()


# -- for real --------------------------------------------------------------------------------


def data_of(address: str) -> Path:
    """The folder of the cluster."""
    with psycopg.connect(address) as connection:
        (folder,) = connection.execute("SELECT current_setting('data_directory')").fetchone()
    return Path(folder)


def postmaster(data: Path) -> psutil.Process:
    return psutil.Process(int((data / "postmaster.pid").read_text().split()[0]))


def user_of(process: psutil.Process) -> int | None:
    """Whose it is; None where it has ended since, as a server process of one connection does."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return int(process.uids().effective)
    return None


@pytest.mark.live
@needed
def test_serve_postgresql_is_there_for_a_block_and_nothing_of_it_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing that the reader has set keeps it from being ready; and what everybody may read of its
    processes, arguments and environment, is no secret."""
    theirs = {"SECRET_TOKEN": "s3cret", "PGSERVICE": "theirs", "PGOPTIONS": "-c x"}
    for name, value in theirs.items():
        monkeypatch.setenv(name, value)
    with serve_postgresql() as served:
        for name in theirs:
            monkeypatch.delenv(name)
        address = served.address
        (password,) = re.findall(r"password=(\w+)", address)
        for each in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                assert not any(password in word for word in each.cmdline()), each
        names = set(psutil.Process(served.process.pid).environ())
        assert names <= {"PATH", "LC_ALL", MARK}, names
        data = data_of(address)
        server = postmaster(data)
        everyone = [server, *server.children(recursive=True)]
        assert len(everyone) > 1
        assert all(user_of(each) != 0 for each in everyone)
        assert not list(data.parent.glob("password"))
        assert not Path("/dev/shm").is_dir() or not list(Path("/dev/shm").glob("PostgreSQL.*"))
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("UPDATE stock SET pieces = pieces - 1")
            assert connection.execute("SELECT pieces FROM stock").fetchall() == [(999_999,)]
            settings = dict(connection.execute("SELECT name, setting FROM pg_settings").fetchall())
        assert settings["synchronous_commit"] == "off"  # as the SQLite that it stands for
        assert settings["fsync"] == "on" and settings["listen_addresses"] == "127.0.0.1"
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(address.replace("password=", "password=x"))
    assert not any(each.is_running() for each in everyone)
    assert not data.parent.exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(address)


@pytest.mark.live
@needed
def test_serve_postgresql_shows_the_last_lines_of_what_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(SETTINGS, "shared_buffers", "plenty")
    with (
        pytest.raises(ServerFailed, match=r"(?s)ended with exit code 1 .*shared_buffers"),
        serve_postgresql(),
    ):
        pass
    monkeypatch.setattr(postgresql, "_initdb", lambda: shutil.which("false"))
    with pytest.raises(ServerFailed, match="initdb ended with exit code 1"), serve_postgresql():
        pass


OWNER = """
import sys
from labs.servers.postgresql import serve_postgresql
with serve_postgresql() as served:
    print(served.address, flush=True)
    sys.stdin.read()
"""


@pytest.mark.live
@needed
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next sweep ends it")
def test_postgresql_outlives_neither_its_owner_nor_its_reaper() -> None:
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        data = data_of(owner.stdout.readline().strip())
        server = postmaster(data)
        everyone = [server, *server.children(recursive=True)]
        segment = (data / "postmaster.pid").read_text().splitlines()[6].split()[1]
        reaper = server.parent()
        assert reaper is not None and reaper.ppid() == owner.pid
        reaper.send_signal(signal.SIGSTOP)  # so that it does not see the end of its owner
        owner.kill()
        owner.wait()
        reaper.kill()
        try:
            eventually(lambda: not any(each.is_running() for each in everyone), 10, "their end")
        finally:
            shutil.rmtree(data.parent, ignore_errors=True)
            with contextlib.suppress(OSError):  # what a kill leaves with the system: 56 bytes
                subprocess.run(["ipcrm", "-m", segment], stderr=subprocess.DEVNULL)


@pytest.mark.live
@needed
def test_shared_folder_has_postgresql_for_requests_that_ask_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    with shared_folder(WORK) as shared:
        assert shared is not None
        with psycopg.connect(shared.address) as connection:
            assert connection.execute("SELECT count(*) FROM stock").fetchone() == (1,)
            assert shared.settings["WALL_TIME_POSTGRESQL"] == shared.address
            # What it computes for them is the server's CPU time, and not that of other programs.
            sampler = Sampler(server=list, generator=list, behind=shared.pids, on_event=id)
            before = sampler.snapshot()
            connection.execute(f"SELECT count(*) FROM generate_series(1, {ROWS})")
            used = before.until(sampler.snapshot())
        assert used.server_cpu * used.seconds > LEAST_CPU_S
        shared.check()
        assert shared.database is not None
        os.kill(shared.database.process.pid, signal.SIGKILL)
        with pytest.raises(ServerFailed, match=r"ended with exit code -9 .* under load") as ended:
            eventually(shared.check, SOON_S)
        assert "starting PostgreSQL" in str(ended.value)  # its own words, and not initdb's
        assert "You can now start" not in str(ended.value)
    with shared_folder(Workload(wait_s=0.02, wait_by="lock")) as shared:
        assert shared is not None and shared.address == ""
