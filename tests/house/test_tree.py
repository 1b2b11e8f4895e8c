"""The tree: laws that hold for files, wherever they are.

That everything public says what it is, and imports and names are in order, `ruff` sees to in `make check`.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import stampede

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MODULES = sorted((ROOT / "src").rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
TEXTS = (".py", ".md", ".toml", ".lock", ".json", ".yaml", ".yml", ".txt", ".c", ".h", "Makefile", "run")
LONGEST = 400


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tracked() -> dict[str, str]:
    """All texts of the project, by their paths."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split("\0") if name.endswith(TEXTS) and (ROOT / name).is_file()]
    assert len(names) > len(MODULES) / 2
    return {name: (ROOT / name).read_text("utf-8") for name in names}


def linted(root: Path) -> subprocess.CompletedProcess[str]:
    """What the contracts say of the imports in a tree."""
    program = str(Path(sys.executable).parent / "lint-imports")
    command = [program, "--no-cache", "--config", str(root / "pyproject.toml")]
    surroundings = os.environ | {"PYTHONPATH": str(root / "src")}
    return subprocess.run(command, cwd=root, env=surroundings, capture_output=True, text=True)


def test_imports_go_down_only() -> None:
    done = linted(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("patience/cards.py", "stampede.protocol.commands"),
        ("protocol/codec.py", "stampede.server.race.facts"),
        ("protocol/codec.py", "stampede.client_cli.printable"),
        ("server/race/names.py", "stampede.client_cli.printable"),
        ("client_cli/printable.py", "stampede.server.race.names"),
        ("server/race/facts.py", "stampede.server.settings"),
        ("server/gate/pages.py", "stampede.server.doctor"),
        ("server/settings.py", "stampede.server.journal"),
        ("server/journal.py", "stampede.server.sources"),
        ("server/nowhere.py", "stampede.protocol.commands"),
    ],
)
def test_an_import_that_goes_up_is_noticed(tmp_path: Path, module: str, imported: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "src" / "stampede" / module).open("a", encoding="utf-8") as file:
        file.write(f"\nimport {imported}\n")
    done = linted(tmp_path)
    assert done.returncode == 1
    assert "BROKEN" in done.stdout or "not exhaustive" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_every_module_begins_with_its_caption_and_is_no_longer_than_it_should(module: Path) -> None:
    text = module.read_text("utf-8")
    caption, *rest = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    assert caption.endswith((".", "?")) or (rest and rest[0]), "a caption is a sentence"
    assert len(text.splitlines()) <= LONGEST


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text("utf-8"))):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        aim = (page.parent / path).resolve() if path else page
        assert aim.exists(), target
        assert not anchor or anchor in anchors(aim), target


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links; equal ones are numbered."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(page.read_text("utf-8")), re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def test_every_file_that_the_page_on_the_house_names_is_there() -> None:
    page = (ROOT / "docs" / "house.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?|\w+\.py)`", page))
    source = ROOT / "src" / "stampede"
    folders = [ROOT, source, *(path for path in source.rglob("*") if path.is_dir())]
    assert len(named) > 15
    assert not {name for name in named if not any((folder / name).exists() for folder in folders)}


def test_the_lock_holds_exact_versions_and_no_address() -> None:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    wanted = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    assert wanted
    assert all(re.match(r"[\w.\-]+(\[[\w,]+\])?==[\w.+!]+( ;.*)?$", line.strip()) for line in wanted)
    assert "://" not in "\n".join(lines)


def test_the_version_is_the_same_everywhere() -> None:
    version = PROJECT["project"]["version"]
    assert version == stampede.__version__
    released = re.findall(r"^## \[?(\d[\w.]*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert released[:1] in ([], [version])


def test_the_changelog_has_a_section_for_what_is_not_released_yet() -> None:
    sections = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert sections[0] == "Unreleased"


def test_no_file_holds_a_path_of_one_machine_or_the_host_of_a_package_index() -> None:
    # Put together here, so that this file holds none itself.
    path = re.compile(r"(?:^|[\s\"'(=`])/(?:" + "|".join(("root", "home", "work", "Users")) + r")/\w")
    hosts = ("py" + "pi.org", "python" + "hosted", "index-" + "url", "find-" + "links")
    index = re.compile("|".join(hosts), re.IGNORECASE)
    found = {name: match[0] for name, text in tracked().items() if (match := path.search(text) or index.search(text))}
    assert not found
