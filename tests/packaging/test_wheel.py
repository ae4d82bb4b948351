"""The wheel, installed outside the checkout, brings everything along and nothing else."""

import os
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]


def _run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _can_build() -> bool:
    return find_spec("hatchling") is not None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder)
    if _can_build():
        _run(*build, "--no-build-isolation", ROOT, cwd=folder)
    elif subprocess.run(
        [str(each) for each in (*build, ROOT)], cwd=folder, capture_output=True, check=False
    ).returncode:
        pytest.skip("the build backend is not installed here, and there is no network to fetch it")
    (found,) = folder.glob("rulewright-*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel; the libraries it needs are those of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    there = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", vars=there))
    interpreter = Path(sysconfig.get_path("scripts", "venv", vars=there)) / "python"
    install = (sys.executable, "-m", "pip", "--python", interpreter, "install", "--quiet", "--no-deps", "--no-compile")
    _run(*install, wheel, cwd=folder)
    (site / "libraries.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    return interpreter


HELD = """
py.typed
cli/reports/templates/base.html cli/reports/templates/diff.md cli/reports/templates/style.css
grammar/rules.lark
starters/hex-combat/plays.scenario.yaml
rulesets/mel/mel.rules rulesets/mel/MEL.clauses.yaml rulesets/mel/mel.scenario.yaml rulesets/mel/examples/duel.yaml
"""


def test_a_wheel_holds_the_package_with_its_data_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {f"rulewright/{each}" for each in HELD.split()} <= {*names}
    assert {folder for name in names if not (folder := name.split("/")[0]).endswith(".dist-info")} == {"rulewright"}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


def test_the_package_imported_is_the_installed_one(python: Path, tmp_path: Path) -> None:
    place = _run(python, "-c", "import rulewright; print(rulewright.__file__)", cwd=tmp_path)
    assert str(python.parent.parent) in place


def test_the_command_runs_outside_the_checkout(python: Path, tmp_path: Path) -> None:
    command = python.with_name("rulewright")
    assert _run(command, "--version", cwd=tmp_path).startswith("rulewright ")
    assert "error" not in _run(command, "check", "mel", cwd=tmp_path)
    assert _run(command, "explain", "RW0301", cwd=tmp_path)


def test_an_example_of_the_shipped_ruleset_plays(python: Path, tmp_path: Path) -> None:
    examples = ROOT / "rulesets" / "mel" / "examples"
    for name in ("duel.yaml", "push.yaml"):
        (tmp_path / name).write_text((examples / name).read_text(encoding="utf-8"), encoding="utf-8")
    roles = ("--with", "attacker=hammer", "--with", "defender=anvil")
    inputs = ("--state", "duel.yaml", "--script", "push.yaml")
    assert _run(python.with_name("rulewright"), "run", "mel", "melee_attack", *inputs, *roles, cwd=tmp_path)


def test_pytest_collects_scenario_files_where_it_is_installed(python: Path, tmp_path: Path) -> None:
    scenarios = (ROOT / "rulesets" / "pig" / "pig.scenario.yaml").read_text(encoding="utf-8")
    (tmp_path / "pig.scenario.yaml").write_text(f"ruleset: pig\n{scenarios}", encoding="utf-8")
    told = _run(python, "-m", "pytest", "-k", "takes", "-p", "no:cacheprovider", "--assert=plain", "-v", cwd=tmp_path)
    assert "pig.scenario.yaml::a 1 takes it all PASSED" in told
    assert "1 passed" in told


def test_its_types_are_seen_by_a_type_checker(python: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy belongs to the development tools, not to those of the tests")
    (tmp_path / "user.py").write_text(
        "from rulewright.base.source import Text\n\ntext: Text = Text('a', 'b')\nreveal_type(text.content)\n"
    )
    seen = _run(sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "user.py", cwd=tmp_path)
    assert 'Revealed type is "str"' in seen.replace("builtins.", "")
