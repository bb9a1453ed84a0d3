"""What a teacher gets: the chart's values, the pod they make, and the arithmetic in the words."""

import json
import math
import os
import re
import subprocess
import venv
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import wheels
import yaml

DEPLOY = wheels.ROOT / "deploy"
README = (DEPLOY / "README.md").read_text()
VALUES = yaml.safe_load((DEPLOY / "values.yaml").read_text())
SINGLE = VALUES["singleuser"]
KUBESPAWNER = "jupyterhub-kubespawner==7.0.0"  # as chart 4.4.0 has it
REST_MINUTES = 15
NO_CLUSTER = """
current-context: none
contexts: [{name: none, context: {cluster: none, user: none}}]
clusters: [{name: none, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: none, user: {}}]
"""
# The values as the chart's own configuration of the hub hands them to kubespawner.
POD = """
import asyncio, json, sys, yaml
from kubespawner import KubeSpawner
from traitlets.config import Config
given = yaml.safe_load(open(sys.argv[1]))["singleuser"]
home = {"name": "home", "persistentVolumeClaim": {"claimName": "{pvc_name}"}}
config = Config(KubeSpawner={
    "image": given["image"]["name"] + ":" + given["image"]["tag"],
    "cmd": given["cmd"],
    "default_url": given["defaultUrl"],
    "start_timeout": given["startTimeout"],
    "environment": given["extraEnv"],
    "cpu_limit": given["cpu"]["limit"],
    "cpu_guarantee": given["cpu"]["guarantee"],
    "mem_limit": given["memory"]["limit"],
    "mem_guarantee": given["memory"]["guarantee"],
    "storage_capacity": given["storage"]["capacity"],
    "uid": 1000,
    "fs_gid": 100,
    "volumes": {"home": home},
    "volume_mounts": {"home": {"mountPath": given["storage"]["homeMountPath"], "name": "home"}},
})

async def pod():
    return await KubeSpawner(_mock=True, config=config).get_pod_manifest()

print(json.dumps(asyncio.run(pod()).to_dict(), default=str))
"""


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What kubespawner would start."""
    prefix = tmp_path_factory.mktemp("kubespawner")
    venv.create(prefix, with_pip=False)
    what = [KUBESPAWNER, "-r", str(DEPLOY / "requirements-hub.txt")]
    done = wheels.install(prefix / "bin/python", *what)
    assert done.returncode == 0, done.stderr
    cluster = prefix / "kubeconfig"
    cluster.write_text(NO_CLUSTER)
    made = subprocess.run(
        [prefix / "bin/python", "-c", POD, DEPLOY / "values.yaml"],
        env=os.environ | {"KUBECONFIG": str(cluster)},
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    found: dict[str, Any] = json.loads(made.stdout)["spec"]
    return found


@pytest.mark.extended
def test_a_pod_has_whole_cores_of_its_own(pod: dict[str, Any]) -> None:
    """Guaranteed, as Kubernetes calls it: each container asks for all that it may have."""
    (container,) = pod["containers"]
    asked, most = container["resources"]["requests"], container["resources"]["limits"]
    assert asked == most and most["cpu"] == int(most["cpu"]) >= 2
    assert int(most["memory"]) == 3 * 2**30
    assert not pod.get("init_containers") and not SINGLE["cloudMetadata"]["blockWithIptables"]
    told = {each["name"]: each.get("value") for each in container["env"]}
    assert told["CPU_LIMIT"] == "2.0" and told["MEM_LIMIT"] == str(3 * 2**30)  # which labs read
    assert told["LABS_MODE"] == "live" and told["JUPYTERHUB_DEFAULT_URL"] == "/book/"


@pytest.mark.extended
def test_only_the_home_is_mounted_over(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    assert [each["mount_path"] for each in container["volume_mounts"]] == ["/home/jovyan"]
    recipe = (DEPLOY / "Dockerfile").read_text()
    assert "useradd --uid 1000" in recipe and "WORKDIR /home/jovyan" in recipe
    after = recipe.partition("WORKDIR /home/jovyan")[2]
    assert "install" not in after and "COPY" not in after
    assert pod["security_context"]["fsGroup"] == 100


def test_nobody_gets_in_before_somebody_is_named() -> None:
    given = VALUES["hub"]["config"]
    assert given["JupyterHub"]["authenticator_class"] == "null"
    who = given["Authenticator"]
    assert who == {"allow_all": False, "allowed_users": [], "admin_users": []}
    assert not re.search(r"(?i)password|secret|token", (DEPLOY / "values.yaml").read_text())
    for word in ("NetworkPolicy", "podPidsLimit", "subdomain_host", "allowed_users"):
        assert word in README


def test_the_words_say_what_the_values_make() -> None:
    cores, memory = SINGLE["cpu"]["limit"], int(SINGLE["memory"]["limit"].rstrip("G"))
    assert SINGLE["cpu"]["guarantee"] == cores and SINGLE["memory"]["guarantee"] == f"{memory}G"
    rows = re.findall(
        r"\| (\d+) cores, (\d+) GiB \| (\d+) servers \| (\d+) nodes? \| (\d+) nodes \|", README
    )
    assert len(rows) == 3
    for node_cores, node_memory, servers, thirty, many in (map(int, row) for row in rows):
        assert servers == min((node_cores - 1) // cores, (node_memory - 2) // memory)
        assert (thirty, many) == (math.ceil(30 / servers), math.ceil(200 / servers))
    for students in (30, 200):
        assert f"{students * cores} cores and {students * memory} GiB" in README
    after = VALUES["cull"]["timeout"] // 60, VALUES["cull"]["every"] // 60
    assert f"after another {after[0]} minutes (`cull.timeout`), looking every {after[1]}" in README
    lasts = REST_MINUTES + sum(after)
    assert f"at most {lasts} minutes after" in README
    assert f"at most {90 + lasts} minutes of each server" in README
    for students in (30, 200):
        assert re.search(rf"\b{students * cores * (90 + lasts) // 60}\b.* {students}", README)


def test_the_words_say_when_a_page_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    from labs.site.live.server import BookApp

    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://127.0.0.1/hub/api")
    assert BookApp().rest_after_s == REST_MINUTES * 60
    assert f"after {REST_MINUTES} minutes (`BookApp.rest_after_s`)" in README
    monkeypatch.delenv("JUPYTERHUB_API_URL")
    assert BookApp().rest_after_s == 0


def test_the_largest_lab_fits_into_the_memory() -> None:
    """Of all recordings, with half a GB for Jupyter, kernels and Locust."""
    largest = 0
    for file in (wheels.ROOT / "book/recordings").glob("*/*.json"):
        found = re.findall(r'"(?:pss|taken)_bytes": *(\d+)', file.read_text())
        largest = max([largest, *map(int, found)])
    assert f"takes {largest / 1e9:.1f} GB" in README
    assert largest + 0.5e9 < 0.6 * 3 * 2**30


def test_hub_image_and_tests_have_one_version() -> None:
    """A server and its hub must be of one version."""
    pins = (DEPLOY / "requirements-hub.in").read_text()
    (version,) = re.findall(r"^jupyterhub==(.+)$", pins, re.M)
    assert f"JupyterHub {version}" in README and f"JupyterHub {version}" in pins
    chart = set(re.findall(r"(?:--version|chart) (\d[\d.]+\d)", README + pins))
    values = (DEPLOY / "values.yaml").read_text()
    assert chart == {"4.4.0"} == set(re.findall(r"--version (\S+)", values))


def test_the_link_copies_a_chapter_that_is_there() -> None:
    (link,) = re.findall(r"^https://YOUR-HUB/hub/user-redirect/git-pull\S+$", README, re.M)
    asked = {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}
    config = yaml.safe_load((wheels.ROOT / "_config.yml").read_text())["repository"]
    assert (asked["repo"], asked["branch"]) == (config["url"], config["branch"])
    clone, _, chapter = asked["urlpath"].removeprefix("lab/tree/").partition("/")
    assert clone == Path(asked["repo"]).name and (wheels.ROOT / chapter).is_file()


def test_the_image_has_what_the_labs_need() -> None:
    recipe = (DEPLOY / "Dockerfile").read_text()
    copied = re.search(r"^COPY (binder.+) \S+$", recipe, re.M)
    assert copied and all((wheels.ROOT / name).is_file() for name in copied[1].split())
    assert "make wheel" in recipe and "/srv/pins/apt.txt" in recipe
