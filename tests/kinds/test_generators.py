"""The lab of the load generators: what each says, who was full, and real ones on a real server."""

from dataclasses import replace

import examples
import psutil
import pytest
from examples import gauge
from msgspec import structs
from serving import PROJECT
from short import short

from labs.host.programs import Program
from labs.kinds.generators.instruments import WAYS
from labs.kinds.generators.record import LOCUST, GeneratorResult, Generators
from labs.kinds.generators.run import GeneratorsLab
from labs.load import tools
from labs.load.locust import LoadFailed
from labs.measure.rig import Rig
from labs.records.experiment import Server, Workload
from labs.servers.serve import free_port, serve

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")


REMEDY = "not installed: apt-get install wrk"


def run(ours: float = 10_000, *, missing: str = "") -> tuple[GeneratorResult, ...]:
    return (
        gauge(LOCUST, ours, 1.0, 0.12),
        gauge("2 locusts", 16_000, 1.7, 0.2, processes=2, generator_fullest=0.85),
        gauge("ab", 90_000, 0.7, 0.98),
        GeneratorResult(name="wrk", program="wrk", command="wrk", missing=missing)
        if missing
        else gauge("wrk", 100_000, 0.9, 0.98),
    )


def gauges(*runs: tuple[GeneratorResult, ...]) -> Generators:
    return examples.gauges(*(runs or (run(9_000), run(), run(11_000))))


# what is found and how it is told


def test_full_is_said_in_one_way() -> None:
    assert [each.full for each in run()] == [
        *[("generator",)] * 2,
        ("server",),
        ("generator", "server"),
    ]
    shared = gauge("ab", 1_000, 0.79, 0.75, busy=0.97)
    assert (shared.full, replace(shared, busy=0.8).full) == (("machine",), ())
    ours = run()[0]  # CPU of a request is CPU over throughput
    found = (ours.generator_s, ours.server_s, ours.ceiling_rps)
    assert found == pytest.approx((100e-6, 12e-6, 10_000))


def test_a_recording_of_another_page_is_not_of_this_lab() -> None:
    lab = GeneratorsLab()
    first = structs.replace(gauges(), server=Server("event-loop"))  # of those that are there
    assert lab.matches(gauges()) and lab.matches(first)
    assert not lab.matches(structs.replace(gauges(), connections=8))
    assert not lab.matches(structs.replace(gauges(), workload=Workload(wait_s=0.1)))
    assert lab.seconds() <= 40


def test_a_disturbed_or_failing_round_is_not_recorded() -> None:
    assert GeneratorsLab().rejection(gauges()) == ""
    for more, said in (({"failed": 3}, "3 requests failed"), ({"others_cpu": 0.5}, "others used")):
        disturbed = (gauge("ab", 1_000, 0.5, 0.5, **more),)
        found = gauges(disturbed)
        assert said in GeneratorsLab().rejection(found)
    assert "apt-get install wrk" in GeneratorsLab().rejection(gauges(run(missing=REMEDY)))


# what the tools say

REPORTS = PROJECT / "tests/load_tests"


def test_what_apachebench_and_wrk_say_is_what_an_import_of_them_finds() -> None:
    text = (REPORTS / "ab-4.txt").read_text("utf-8")
    said = tools.read_ab(text)
    assert (said.requests, said.failed, said.seconds, said.longest_s) == (160, 0, 4.114, 0.154)
    assert said.mean_response_time_s == 0.099  # the measured one, not users over throughput
    short = tools.read_ab(text.replace("51   99", " 0    1"))
    assert short.mean_response_time_s == pytest.approx(4 / 38.89, rel=1e-3)  # not a coarse 1 ms
    said = tools.read_wrk((REPORTS / "wrk-8.txt").read_text("utf-8"))
    assert (said.requests, said.failed) == (474, 23)


@pytest.mark.parametrize("read", [tools.read_ab, tools.read_wrk, tools.read_locust])
def test_a_report_that_is_none_is_shown(read: object) -> None:
    with pytest.raises(LoadFailed, match="connection refused by nobody"):
        read("connection refused by nobody")


def test_commands_as_a_reader_would_type_them() -> None:
    url = "http://127.0.0.1:8000/file"
    assert tools.shown(tools.ab(url, 8, requests=100)) == f"ab -q -l -r -k -n 100 -c 8 {url}"
    assert tools.shown(tools.wrk(url, 8, seconds=3)) == f"wrk -t 1 -c 8 -d 3s {url}"
    argv = tools.locust(url, 8, seconds=3, processes=2, port=5557)
    assert tools.shown(argv).startswith("locust -f plain_users.py --headless --processes 2")
    assert argv[argv.index("--master-bind-host") + 1] == "127.0.0.1"
    with pytest.raises(ValueError, match=r"127\.0\.0\.1 only"), tools.run([], "http://192.0.2.1/"):
        pass
    nobody = Program(name="nobody", names=("no-such-program",), package="nobody-utils")
    assert tools.missing(nobody) == "not installed: apt-get install nobody-utils"


# real ones on a real server


@pytest.mark.extended
@pytest.mark.performance
def test_the_lab_measures_each_on_the_same_server() -> None:
    told: list[object] = []
    found = Rig(told.append).perform(short(GeneratorsLab()))
    names = [each.name for each in found.run.gauges]
    assert names == [*WAYS]
    for each in found.run.measured:
        assert each.failed == 0
        assert each.generator_cpu > 0 and each.server_cpu > 0
        assert each.generator_fullest <= 1.1
        # Little's law, with a response time that each counts in its own way (wrk's is far off
        # while others keep it from its core)
        assert 0.2 < each.throughput_rps * each.mean_response_time_s / 16 < 60
    partial = [each for each in told if isinstance(each, Generators)]
    assert len(partial) == len(found.run.measured)
    # A request costs a tool in C far less than one in Python.
    ours = found.run.by(LOCUST)
    for name in ("ab", "wrk"):
        if not (tool := found.run.by(name)).missing:
            assert tool.generator_s < 0.5 * ours.generator_s


@pytest.mark.performance
def test_locust_listens_on_this_machine_only() -> None:
    """The master of several Locusts binds to the loopback, and nothing of it stays."""
    with serve(Server("event-loop", by="scratch"), page="file") as running:
        url = f"{running.url}/file"
        with free_port() as port:
            argv = tools.locust(url, 4, seconds=15, processes=2, port=port)  # ended before
            with tools.run(argv, url, env=tools.locust_page(url)) as tool:
                tool.wait_for(tools.SPAWNED, 60)
                listening = [
                    connection.laddr.ip
                    for pid in tool.pids()
                    for connection in psutil.Process(pid).net_connections(kind="inet")
                    if connection.status == psutil.CONN_LISTEN
                ]
                assert listening and set(listening) == {"127.0.0.1"}
                assert len(tool.pids()) == 3
