import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKBENCH = ROOT / "interpreter/studio/workbench"
STATIC = ROOT / "interpreter/rulewright/studio/static"
BESIDE = ("build.mjs", "index.html", "package-lock.json", "package.json", "tsconfig.json")


def test_the_bundle_was_built_from_the_sources_beside_it() -> None:
    inside = (path.relative_to(WORKBENCH).as_posix() for path in (WORKBENCH / "src").rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for name in sorted([*BESIDE, *inside]):
        text = (WORKBENCH / name).read_bytes()
        digest.update(f"{name}\n{len(text)}\n".encode() + text)
    built = json.loads((STATIC / "built.json").read_text())
    assert built["sources"] == digest.hexdigest(), "run `npm run build` in interpreter/studio/workbench"


def test_words_in_italics_on_the_page_of_the_workbench_are_words_of_the_screen() -> None:
    page = (ROOT / "grammar/studio.md").read_text(encoding="utf-8")
    sources = [*(WORKBENCH / "src").rglob("*.ts"), ROOT / "interpreter/rulewright/editor/text_decorations.py"]
    screen = "\n".join(each.read_text(encoding="utf-8") for each in sources).replace("only_played", "only played")
    named = {" ".join(each.split()) for each in re.findall(r"(?<![*\w])\*([^*]+)\*(?![*\w])", page)}
    assert len(named) > 20
    assert {each for each in named if each not in screen} == set()


def test_the_lock_file_names_no_host() -> None:
    lock = (WORKBENCH / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert "://" not in "".join(line for line in lock.splitlines() if '"url"' not in line)


def test_each_licence_listed_is_of_the_version_that_is_locked() -> None:
    packages = json.loads((WORKBENCH / "package-lock.json").read_text())["packages"]
    for line in (STATIC / "licences.txt").read_text().splitlines():
        locked = packages.get(f"node_modules/{line.partition(' ')[0]}")
        if locked is not None:
            assert line.split()[1] == locked["version"]
