"""Containers: no engine runs here, so their files are checked by linters and a schema, and their commands are run."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from e2e.servers import PATIENCE_S, Server, command, environment
from server.log.redis_server import VALKEY, RedisServer
from stampede.server.sources import NAMES

HOUSE = Path(__file__).parents[2]
DOCKERFILE = (HOUSE / "Dockerfile").read_text()
FINAL = DOCKERFILE.rpartition("\nFROM ")[2]
COMPOSE = YAML(typ="safe").load((HOUSE / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def instruction(name: str, text: str = FINAL) -> str:
    """The last one of its kind, its lines joined."""
    found = re.findall(rf"^{name} ((?:.*\\\n)*.*)", text, re.MULTILINE)
    return re.sub(r"\\\n\s*", "", found[-1])


def settings(text: str) -> dict[str, str]:
    return dict(re.findall(r"(STAMPEDE_\w+)=(\S+)", text))


def profile(name: str) -> dict[str, dict[str, Any]]:
    return {service: body for service, body in SERVICES.items() if name in body["profiles"]}


@pytest.mark.skipif(sys.platform != "linux", reason="the linter comes for Linux")
def test_the_dockerfile_passes_its_linter() -> None:
    done = run(Path(sys.executable).with_name("hadolint"), HOUSE / "Dockerfile")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_compose_file_follows_its_specification() -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = run(checker, "--builtin-schema", "vendor.compose-spec", HOUSE / "docker-compose.yml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_image_is_slim_in_two_stages_and_runs_as_a_fixed_nobody() -> None:
    assert len(re.findall(r"^FROM ", DOCKERFILE, re.MULTILINE)) == 2
    assert "-slim" in instruction("ARG", DOCKERFILE)
    assert "apt-get" not in FINAL
    assert re.fullmatch(r"(\d{5}):\1", instruction("USER"))
    assert instruction("VOLUME") == "/data"
    assert json.loads(instruction("ENTRYPOINT")) == ["stampede-server"]
    assert json.loads(instruction("HEALTHCHECK").partition("CMD ")[2]) == ["stampede-server", "health"]
    assert settings(instruction("ENV"))["STAMPEDE_LOG"] == "sqlite:/data/stampede.db"


def test_what_the_image_is_built_from_is_there() -> None:
    ignored = (HOUSE / ".dockerignore").read_text()
    for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (HOUSE / source).exists(), source
            assert f"!{source.removeprefix('./')}" in ignored.splitlines()


@pytest.mark.parametrize("name", ["one", "many"])
def test_a_profile_keeps_to_itself_and_is_locked_down(name: str) -> None:
    services = profile(name)
    for service, body in services.items():
        assert body["read_only"] is True, service
        assert "no-new-privileges:true" in body["security_opt"]
        assert set(body.get("depends_on", ())) <= set(services)
        assert set(body.get("environment", {})) <= {f"STAMPEDE_{setting.upper()}" for setting in NAMES}
        assert ":" in body["image"] or body["image"] == "stampede"
        assert not body["image"].endswith(":latest")
        for volume in body.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or (HOUSE / source).is_file()
    assert sum("ports" in body for body in services.values()) == 1


def test_one_node_has_one_file_on_a_volume() -> None:
    [node] = profile("one").values()
    log = node["environment"]["STAMPEDE_LOG"]
    assert any(log.startswith(f"sqlite:{volume.partition(':')[2]}/") for volume in node["volumes"])


def test_many_nodes_share_a_durable_valkey_behind_a_balancer_whom_they_believe() -> None:
    services = profile("many")
    nodes = [body for body in services.values() if body["image"] == "stampede"]
    assert len(nodes) == 2
    [balancer] = [body for body in services.values() if "ports" in body]
    for node in nodes:
        assert node["environment"]["STAMPEDE_LOG"].startswith("valkey://valkey:")
        assert node["environment"]["STAMPEDE_PROXIES"] == balancer["networks"]["street"]["ipv4_address"]
    words = services["valkey"]["command"]
    flags = dict(zip(words[1::2], words[2::2], strict=True))
    assert flags["--appendonly"] == "yes"
    assert flags["--appendfsync"] == "always"
    assert flags["--maxmemory-policy"] == "noeviction"


@pytest.mark.skipif(not shutil.which("haproxy"), reason="no haproxy here")
def test_the_balancers_settings_are_valid() -> None:
    done = run("haproxy", "-c", "-f", HOUSE / "deploy" / "haproxy.cfg")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_images_commands_start_a_healthy_node(tmp_path: Path) -> None:
    image = {name: value.replace("/data/", f"{tmp_path}/") for name, value in settings(instruction("ENV")).items()} | {
        "STAMPEDE_ORIGINS": ""
    }
    with Server(*json.loads(instruction("ENTRYPOINT"))[1:], **image) as server:
        assert (tmp_path / "stampede.db").exists()
        health = json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])[1:]
        done = subprocess.run(
            command(*health),
            env=environment(image | {"STAMPEDE_PORT": str(server.port)}),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "alive\n")


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[str]:
    """A Valkey with the settings of the compose file; its URL."""
    server = RedisServer(str(VALKEY), tmp_path, *SERVICES["valkey"]["command"][1:], fsync="no")
    server.start()
    yield server.url.replace("redis:", "valkey:")
    server.kill()


@pytest.mark.skipif(not VALKEY.exists(), reason="no Valkey here")
def test_a_node_finds_the_valkey_of_the_compose_file_good(valkey: str) -> None:
    done = subprocess.run(
        command("doctor", "--log", valkey), env=environment({}), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "appendfsync always" in done.stdout
    with Server("--log", valkey) as server:
        assert server.page("/readyz") == (200, "ready\n")
