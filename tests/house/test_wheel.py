"""The wheel: what is built is what is needed, and installs alone."""

import importlib.util
import subprocess
import sys
import venv
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

import stampede

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "stampede"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what is tracked or about to be, as `pip` builds it."""
    into = tmp_path_factory.mktemp("wheel")
    isolated = [] if importlib.util.find_spec("hatchling") is None else ["--no-build-isolation"]
    subprocess.run([*PIP, "wheel", "--no-deps", *isolated, "--wheel-dir", str(into), str(ROOT)], check=True)
    (built,) = into.glob("*.whl")
    return built


def test_it_holds_the_package_with_all_its_data_and_nothing_else(wheel: Path) -> None:
    assert wheel.name == f"stampede-{stampede.__version__}-py3-none-any.whl"
    held = set(ZipFile(wheel).namelist())
    kept = {path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    wanted = {f"stampede/{path.relative_to(SOURCE).as_posix()}" for path in kept}
    info = f"stampede-{stampede.__version__}.dist-info/"
    assert {name for name in held if not name.startswith(info)} <= wanted
    assert not {name for name in wanted - held if not name.endswith((".so", ".o", ".pyd"))}
    assert {"stampede/py.typed", f"{info}licenses/LICENSE"} <= held
    assert {Path(name).suffix for name in held} >= {".py", ".txt"}, (
        "the catalogue and the table of look-alikes are data"
    )


def test_it_says_what_it_is_and_names_both_programs(wheel: Path) -> None:
    info = f"stampede-{stampede.__version__}.dist-info"
    with ZipFile(wheel) as held:
        told = Parser().parsestr(held.read(f"{info}/METADATA").decode())
        programs = held.read(f"{info}/entry_points.txt").decode().split()
    assert told["Requires-Python"] == ">=3.11"
    assert told["License-Expression"] == "MIT"
    assert told.get_payload() == (ROOT / "README.md").read_text("utf-8")
    assert [name for name in programs if name.startswith("stampede")][::2] == ["stampede", "stampede-server"]


def test_it_installs_alone_and_the_rules_need_nothing_else(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=False)
    folder = tmp_path / ("Scripts" if sys.platform == "win32" else "bin")
    python = folder / "python"
    subprocess.run([*PIP, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)], check=True)
    assert {path.stem for path in folder.glob("stampede*")} == {"stampede", "stampede-server"}
    plays = (
        "from stampede.patience import game, variants as v; print(game.start_code(v.parse_code('YU1-C-AAAAAAB')).score)"
    )
    done = subprocess.run([str(python), "-I", "-c", plays], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")
