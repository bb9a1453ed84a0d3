"""python -m labs: the contract other tools may rely on, and a sentence for every mistake."""

import json
import os
import signal
import socket
import subprocess
import sys

import psutil
import pytest
from waiting import eventually

from labs.recordings import store

RUN = ["run", "--server", "prefork", "--processes", "2", "--cpu", "0.01", "--users"]


def labs(*arguments, **options):
    command = [sys.executable, "-m", "labs", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.performance
def test_run_writes_the_recording_joined_with_its_predictions(tmp_path):
    out = tmp_path / "out.json"
    done = labs(*RUN, "1,2,4", "--json", str(out))
    assert done.returncode == 0, done.stderr
    assert "req/s" in done.stdout
    data = json.loads(out.read_text())
    assert [point["users"] for point in data["points"]] == [1, 2, 4]
    for point in data["points"]:
        low, high = point["throughput_ci_rps"]
        assert low <= point["throughput_rps"] <= high
        assert set(point["response_time_s"]) == {"mean", "p50", "p90", "p99"}
        forecast, explained = point["predicted"], point["explained"]
        assert set(forecast) >= {"bound_rps", "model_rps", "model_response_time_s", "limit"}
        assert forecast["bound_rps"] >= forecast["model_rps"] * 0.999
        assert explained["users"] == forecast["users"] == point["users"]
        assert set(explained) == set(forecast)
        whole_s = point["service_time_s"] + point["queued_s"]
        assert whole_s == pytest.approx(point["response_time_s"]["mean"])
        assert point["demand_s"] > 0
        inside = point["throughput_rps"] * whole_s / point["users"]  # X R / N, as nobody thinks
        assert point["littles_law"] == pytest.approx(inside)
        assert 0 < inside < 1.1  # how near 1 depends on when the users get a core, to ask again
        assert all(set(check) == {"name", "unfit", "sentence"} for check in point["checks"])
    assert store.read(out).points[0].users == 1


@pytest.mark.extended
@pytest.mark.measures
def test_no_proxy_is_asked(tmp_path):
    """Neither by readiness probe, calibration and Locust nor by a server that asks a backend."""
    asked = ("--processes", "2", "--wait", "0.02", "--wait-by", "backend", "--users", "2")
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        names = ["http_proxy", "https_proxy", "all_proxy"]
        proxies = dict.fromkeys([*names, *map(str.upper, names)], address)
        environment = {k: v for k, v in os.environ.items() if k.lower() != "no_proxy"} | proxies
        done = labs("run", "--server", "prefork", *asked, "--seconds", "0.5", env=environment)
        assert done.returncode == 0, done.stderr
        with pytest.raises(BlockingIOError):
            proxy.accept()


@pytest.mark.performance
def test_ctrl_c_stops_it_and_leaves_nothing():
    command = [sys.executable, "-u", "-m", "labs", *RUN, "1,2,4", "--seconds", "20"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # In the background of a shell Ctrl-C is ignored, and that would be inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as going:
        process = psutil.Process(going.pid)
        eventually(lambda: len(process.children(recursive=True)) > 4, 30)
        children = process.children(recursive=True)
        going.send_signal(signal.SIGINT)
        _, said = going.communicate(timeout=20)
    assert going.returncode == 130 and "Traceback" not in said
    assert psutil.wait_procs(children, timeout=2)[1] == []


def test_predict_starts_nothing_and_says_the_law():
    asked = ("--processes", "4", "--wait", "0.5", "--users", "2,8", "--json", "-")
    done = labs("predict", "--server", "prefork", *asked)
    assert done.returncode == 0, done.stderr
    levels = json.loads(done.stdout)["levels"]
    assert [level["model_rps"] for level in levels] == pytest.approx([4, 8], rel=0.05)
    assert levels[1]["limit"] == "pool"


@pytest.mark.parametrize("command", ["machine", "calibrate", "servers"])
def test_the_commands_that_only_tell(command):
    done = labs(command)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 4
