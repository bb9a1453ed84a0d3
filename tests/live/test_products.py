"""The servers people run: found or not, set up, started, broken on purpose, and measured."""

import contextlib
import os
import re
import shutil
import socket
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from measuring import measure
from servers_here import needed, page_of
from surroundings import program
from told_settings import FILES, set_in, settings
from waiting import eventually

from labs.host import hardware as this_machine
from labs.host import programs
from labs.host.counters import listen_overflows
from labs.host.monitor import process_cpu_s
from labs.measure import calibration
from labs.panel.allowed import programs as offered
from labs.records.errors import ServerFailed, Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers import products
from labs.servers import serve as servers
from labs.servers.catalogue import missing, row_of
from labs.servers.products import PRODUCTS, SMALL_FILE, TEMPLATES, Place
from labs.servers.serve import Running, available, check, serve
from labs.theory.laws import idle

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

live = pytest.mark.performance
SOON_S = 20.0
STARTS_WITHIN_S = 5.0  # 0.2 s on a quiet machine
GONE_WITHIN_S = 2.0
FILE = Workload(page="file")
SMALL = {
    "apache": Server("prefork", by="apache", processes=4),
    "nginx-fpm": Server("prefork", by="nginx-fpm", processes=4),
    "apache-worker": Server("threaded", by="apache-worker", processes=2, threads=2),
    "apache-event": Server("threaded", by="apache-event", processes=2, threads=2),
    "node": Server("event-loop", by="node"),
    "nginx": Server("event-loop", by="nginx", processes=2),
}


ROWS = {by: row_of(server) for by, server in SMALL.items()}


def here(*names: str) -> pytest.MarkDecorator:
    """With these servers, each skipped where it is not installed."""
    return pytest.mark.parametrize("by", [having(by) for by in names])


def having(by: str, *more: str) -> object:
    return pytest.param(by, *more, marks=needed(ROWS[by]))


def get(url: str) -> tuple[int, bytes]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, answer.read()


# -- what is here ----------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that comes before all others when a program is looked for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


@pytest.fixture
def nothing_here(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which no program is found but what a test puts into the folder."""
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setattr(programs, "MORE", str(path))
    monkeypatch.setattr(programs, "MODULES", (str(path),))
    return path


@pytest.mark.parametrize(
    ("by", "packages"),
    [
        ("apache", "apache2 libapache2-mod-php php-cli"),
        ("nginx-fpm", "nginx php-fpm php-cli"),
        ("apache-worker", "apache2 php-fpm php-cli"),
        ("node", "nodejs"),
        ("nginx", "nginx"),
    ],
)
def test_missing_tells_the_command_that_installs_a_server(
    by: str, packages: str, nothing_here: Path
) -> None:
    sentence = f"Install it with: apt-get install {packages}"
    assert missing(ROWS[by]) == sentence
    refused(SMALL[by], Workload(page=page_of(ROWS[by])), f"by='{by}': not installed. {sentence}")
    (row,) = (row for row in available() if row.by == by)
    assert (row.version, row.missing) == (None, sentence)
    told = offered(SMALL[by], page_of(ROWS[by]), available())
    assert by in told.why and "not installed here" in told.why


def refused(server: Server, workload: Workload, words: str) -> None:
    with pytest.raises(Unusable, match=re.escape(words)):
        check(server, this_machine.fingerprint(), workload)


def test_missing_wants_no_php_for_a_file(nothing_here: Path) -> None:
    program(nothing_here / "apache2", "#!/bin/sh\necho Apache/2.4.62\n")
    kind = ROWS["apache"]
    assert missing(kind, "file") is None
    assert missing(kind) == "Install it with: apt-get install libapache2-mod-php php-cli"


def test_missing_says_in_a_sentence_what_is_too_old_or_broken(nothing_here: Path) -> None:
    node = ROWS["node"]
    old = program(nothing_here / "node", "#!/bin/sh\necho v10.24.0\n")
    assert missing(node) == "node 10.24.0 is too old: 12 or newer is needed."
    broken = program(nothing_here / "nodejs", "#!/bin/sh\necho no shared object file; exit 127\n")
    old.unlink()
    words = f"node is installed but does not run. Try it by hand: {broken} --version"
    assert missing(node) == words
    refused(SMALL["node"], Workload(), f"by='node': {words}")


@pytest.mark.parametrize(
    ("server", "workload", "words"),
    [
        (SMALL["nginx-fpm"], FILE, "by='nginx-fpm': nginx itself answers files."),
        (SMALL["apache"], Workload(wait_by="backend"), "wait_by='backend': by='apache'"),
    ],
)
def test_check_refuses_what_a_server_can_never_do(
    server: Server, workload: Workload, words: str
) -> None:
    refused(server, workload, words)


# -- templates -------------------------------------------------------------------------------


@live
@pytest.mark.parametrize(
    ("by", "template", "line", "words"),
    [
        having("apache", "apache.conf", "MaxServers 5", "Invalid command 'MaxServers'"),
        having("nginx", "nginx.conf", "worker_process 4;", 'unknown directive "worker_p'),
        having("nginx-fpm", "php-fpm.conf", "pm = dynamic", "pm."),
    ],
)
def test_serve_shows_a_wrong_parameter_in_the_server_s_own_words(
    by: str, template: str, line: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = shutil.copytree(TEMPLATES, tmp_path / "templates")
    monkeypatch.setattr(products, "TEMPLATES", templates)
    with (templates / template).open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(ServerFailed, match=r"exit code .* before it was ready") as failed:
        start(by)
    assert words in str(failed.value)


WIRING = set(  # whose the workers are, and how a request finds PHP
    "user group User Group listen.owner listen.group LoadModule PHPINIDir FallbackResource "
    "SetHandler".split()
)


@here("apache", "apache-worker", "apache-event", "nginx", "nginx-fpm")
def test_launch_sets_nothing_but_what_the_book_tells(by: str, tmp_path: Path) -> None:
    PRODUCTS[by].launch(SMALL[by], Place(folder=tmp_path, host="127.0.0.1", port=8000))
    written = "\n".join(file.read_text() for file in tmp_path.glob("*.conf"))
    told = {name for program in FILES for name in settings(program)}
    assert "127.0.0.1" in written
    assert set_in(written).keys() <= told | WIRING


# -- faults ----------------------------------------------------------------------------------


@live
@here(*PRODUCTS)
def test_serve_starts_and_ends_a_product_in_no_time_and_leaves_nothing(
    by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root the work is given to nobody, though the clone may lie where nobody may not look,
    and whatever root's umask is. To nginx and to php-fpm a space and an umlaut in a folder's name
    mean something else."""
    odd, folders = tmp_path / "Täglich Neues; (2)", list[Path]()
    odd.mkdir(mode=0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(odd))

    @contextlib.contextmanager
    def noted() -> Iterator[Path]:
        with products.folder_for_a_server() as folder:
            folders.append(folder)
            yield folder

    monkeypatch.setattr(servers, "folder_for_a_server", noted)
    began, umask = time.monotonic(), os.umask(0o077)
    try:
        with serve(SMALL[by], page=page_of(ROWS[by])) as running:
            assert time.monotonic() - began < STARTS_WITHIN_S
            assert get(f"{running.url}/{'file' if by == 'nginx' else ''}")[0] == 200
            if PRODUCTS[by].for_files:
                assert get(f"{running.url}/file")[1] == SMALL_FILE.read_bytes()
            if by in ("apache", "nginx-fpm", "nginx"):
                wanted = {"nobody" if os.geteuid() == 0 else psutil.Process().username()}
                eventually(lambda: owners(running) == wanted, SOON_S)  # at first it is root's
            pids, began = running.pids(), time.monotonic()
    finally:
        os.umask(umask)
    assert time.monotonic() - began < GONE_WITHIN_S
    assert not any(map(psutil.pid_exists, pids))
    assert folders and not any(folder.exists() for folder in folders)
    (version,) = {row.version for row in available() if row.by == by}
    assert re.match(r"\d+\.\d+(\.\d+)?(, \S+ \d+\.\d+\.\d+)*$", version or "")


def owners(running: Running) -> set[str]:
    return {psutil.Process(pid).username() for pid in running.serving_pids()}


def test_folder_for_a_server_is_one_that_its_user_can_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    monkeypatch.setattr(products, "LONGEST_PLACE", 1000)
    with products.folder_for_a_server() as folder:
        assert folder.stat().st_mode & 0o005 == 0o005
        assert (private in folder.parents) == (os.geteuid() != 0)


def test_folder_for_a_server_leaves_room_for_a_socket_s_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Unix socket's path has 103 letters at most (macOS; 107 on Linux)."""
    for letters in range(products.LONGEST_PLACE - 1, products.LONGEST_PLACE + 60, 7):
        place = tmp_path / "".ljust(max(1, letters - len(str(tmp_path)) - 1), "x")
        place.mkdir(exist_ok=True)
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        with products.folder_for_a_server() as folder:
            assert len(str(folder / "php-fpm.sock")) <= 103


@pytest.mark.parametrize(("cores", "processes"), [(1, 1), (2, 2), (64, 2)])
def test_nginx_fpm_takes_one_or_two_of_our_cores_for_nginx(
    cores: int, processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "usable_cores", lambda: tuple(range(cores)))
    place = products.Place(folder=tmp_path, host="127.0.0.1", port=8000)
    products.nginx_fpm(Server("prefork", by="nginx-fpm", processes=4), place)
    assert f"worker_processes {processes};" in (tmp_path / "nginx.conf").read_text()


@live
@here("apache", "node")
def test_serve_leaves_a_port_that_is_taken_for_another(
    by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        free_port, tried = servers.free_port, []

        @contextlib.contextmanager
        def free_after_one() -> Iterator[int]:
            with free_port() as free:
                tried.append(free if tried else other.getsockname()[1])
                yield tried[-1]

        monkeypatch.setattr(servers, "free_port", free_after_one)
        with serve(SMALL[by], page=page_of(ROWS[by])) as running:
            assert tried == [other.getsockname()[1], running.port]
            assert get(f"{running.url}/file")[0] == 200
        tried.clear()
        monkeypatch.setattr(servers, "PORTS", 1)
        with pytest.raises(ServerFailed, match=servers.PORT_TAKEN):
            start(by)


@pytest.mark.measures
def test_serve_says_which_program_may_not_be_run_and_gives_the_last_words_of_what_dies(
    path: Path, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs.Program, "path", lambda self: str(tmp_path))
        with pytest.raises(ServerFailed, match=r"cannot be started .*Permission denied"):
            start("node")
    program(path / "node", "#!/bin/sh\necho segmentation fault, as it were >&2; exit 139\n")
    with pytest.raises(ServerFailed) as failed:
        start("node")
    assert str(failed.value).splitlines() == [
        "event-loop by node ended with exit code 139 before it was ready. Its last lines:",
        "segmentation fault, as it were",
    ]


@pytest.mark.measures
def test_calibrate_says_which_language_cannot_be_burned(path: Path) -> None:
    program(path / "php", "#!/bin/sh\necho PHP 8.2.1; exit 0\n")
    with pytest.raises(Unusable, match=r"PHP cannot be calibrated: .* Try it by hand: \S+php -n"):
        calibration.calibrate(this_machine.fingerprint(), language="PHP")


# -- measured --------------------------------------------------------------------------------


@pytest.mark.extended
@live
@pytest.mark.usefixtures("calibrated_in_full")
@pytest.mark.parametrize(
    ("by", "language"), [having("apache", "PHP"), having("node", "JavaScript")]
)
def test_work_is_counted_in_its_own_language(by: str, language: str) -> None:
    """The burner and the server count alike: what is asked for is what it costs."""
    machine, workload = this_machine.fingerprint(), Workload(cpu_s=0.05)
    burned = calibration.calibrate(machine, language=language)
    assert burned.unit == f"counting in {language}"
    assert burned.loops_per_s[0] > calibration.calibrate(machine).loops_per_s[0]  # Python's
    assert (
        calibration.last(machine, Experiment(SMALL[by], workload, Load([1]))).loops_per_s
        == burned.loops_per_s
    )
    assert calibration.last(machine, Experiment(SMALL[by], FILE, Load([1]))).unit == "counting"
    with serve(SMALL[by]) as running:
        url = f"{running.url}/?loops={round(workload.cpu_s * burned.loops_per_s[0])}"
        get(url)  # hot
        before = sum(map(process_cpu_s, running.pids()))
        for _ in range(6):
            get(url)
        each_s = (sum(map(process_cpu_s, running.pids())) - before) / 6
    assert 0.4 < each_s / workload.cpu_s < 2.5  # a crowded machine works at another speed


@live
@here("apache")
def test_serve_begins_with_few_workers_and_the_product_starts_more(by: str) -> None:
    server = Server("prefork", by=by, processes=16, start=2)
    with serve(server) as running, ThreadPoolExecutor(8) as users:
        assert running.workers() < 16
        asked = [users.submit(get, f"{running.url}/?wait=1") for _ in range(8)]
        eventually(lambda: running.workers() > 4, SOON_S, "more workers")
        assert [each.result()[0] for each in asked] == [200] * 8


EIGHT = {
    by: Server("prefork", by=by, processes=8)
    if SMALL[by].architecture == "prefork"
    else Server("threaded", by=by, processes=2, threads=4)
    for by in ("apache", "nginx-fpm", "apache-worker", "apache-event")
}


@pytest.mark.extended
@live
@here("apache", "apache-worker")
def test_a_slot_per_connection_starves_whom_it_has_no_slot_for(by: str) -> None:
    """Kept connections hold their workers: X R is the workers, and half the users get nothing."""
    load = Load([16], seconds=0.5)
    (point,) = measure(Experiment(EIGHT[by], Workload(wait_s=0.05), load)).points
    assert point.never_served == 8
    assert 0.4 < point.littles_law < 0.6
    assert point.throughput_rps == pytest.approx(8 / 0.05, rel=0.3)
    (starved,) = (check for check in point.checks if check.name == "starved")
    assert starved.unfit and "A worker stays with its connection" in starved.sentence


@live
@here("apache")
def test_a_quiet_connection_holds_its_worker_for_as_long_as_told(by: str) -> None:
    """X = W / (S + K), or as much of K as its user is quiet, and nobody is left out."""
    load = Load([48], seconds=2.0, think_time_s=0.4)
    server, work = replace(EIGHT[by], keep_alive=0.1), Workload(wait_s=0.05)
    (point,) = measure(Experiment(server, work, load)).points
    assert point.throughput_rps == pytest.approx(8 / (0.05 + idle(Z=0.4, K=0.1)), rel=0.15)
    assert point.failed == point.never_served == 0


@live
@here("apache-event", "nginx-fpm")
def test_a_slot_per_request_starves_nobody(by: str) -> None:
    """Twice as many connections as slots, but idle for three quarters of the time."""
    load = Load([16], seconds=1.0, think_time_s=0.15)
    (point,) = measure(Experiment(EIGHT[by], Workload(wait_s=0.05), load)).points
    assert point.never_served == 0
    assert point.throughput_rps == pytest.approx(16 / 0.2, rel=0.3)
    assert "errors" not in {check.name for check in point.checks}


@live
@here("apache")
def test_twice_the_pool_with_a_short_listen_queue_collapses(by: str) -> None:
    """S2's last row, small: 1280 promised, 663 measured. Who finds the queue full asks again
    only after a second, and whoever waits for the last of all waits for the sum of it."""
    wait_s, users, requests = 0.05, 16, 48
    ideal_s = requests / EIGHT[by].processes * wait_s

    def took_s(backlog: int) -> float:
        server = replace(EIGHT[by], backlog=backlog, keep_alive=False)
        with serve(server) as running, ThreadPoolExecutor(users) as pool:
            began = time.monotonic()
            url = f"{running.url}/?wait={wait_s}"
            answers = list(pool.map(lambda _: get(url)[0], range(requests)))
            assert answers == [200] * requests
            return time.monotonic() - began

    before = listen_overflows()
    assert took_s(backlog=2048) < 2.5 * ideal_s
    assert listen_overflows() == before
    assert took_s(backlog=4) > 1.0 > 3 * ideal_s
    assert listen_overflows() > before


def start(by: str) -> None:
    """Start it and end it at once."""
    with serve(SMALL[by], page=page_of(ROWS[by])):
        pass
