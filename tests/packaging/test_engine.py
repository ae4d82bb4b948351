"""The engine of a shared page is the one that its build made, of the versions that are locked."""

import hashlib
import json
from pathlib import Path

from rulewright.studio.page_modules import count_compiled
from rulewright.studio.site_writer import list_sources

ROOT = Path(__file__).parents[2]
WORKBENCH = ROOT / "interpreter/studio/workbench"
ENGINE = ROOT / "interpreter/rulewright/studio/static/engine"
FACTS = json.loads((ENGINE / "engine.json").read_text(encoding="utf-8"))


def test_each_file_is_the_one_that_was_built() -> None:
    held = {path.name for path in ENGINE.iterdir()}
    assert held == {*FACTS["files"], "engine.json", "licences.txt"}
    for name, said in FACTS["files"].items():
        content = (ENGINE / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (said["bytes"], said["sha256"]), name


def test_it_was_built_from_the_sources_beside_it() -> None:
    digest = hashlib.sha256()
    for name in ("compiling.mjs", "engine.mjs", "src/engine/worker.ts"):
        text = (WORKBENCH / name).read_bytes()
        digest.update(f"{name}\n{len(text)}\n".encode() + text)
    assert FACTS["sources"] == digest.hexdigest(), "run `npm run engine` in interpreter/studio/workbench"


def test_versions_are_those_that_are_locked_and_named_with_their_licences() -> None:
    packages = json.loads((WORKBENCH / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert packages["node_modules/pyodide"]["version"] == FACTS["pyodide"]
    licences = (ENGINE / "licences.txt").read_text(encoding="utf-8")
    assert f"Pyodide {FACTS['pyodide']} (MPL-2.0)" in licences
    assert f"Python {FACTS['python']} and its library (PSF-2.0)" in licences


def test_most_modules_are_compiled_as_they_are_now() -> None:
    """What was changed since goes into a page as text, which whoever opens it waits for."""
    own = {name: source for name, source in list_sources() if name.startswith("rulewright/")}
    assert count_compiled(own) > len(own) / 2, "run `npm run modules` in interpreter/studio/workbench"
