"""What a team uses names what there is: hooks their verbs, the action what fails a review, the page a project file."""

import re
import tomllib
from runpy import run_path

import jsonschema
import yaml

from rulewright.cli.main import VERB_DESCRIPTIONS
from rulewright.documents.project_file import REVIEW_CHECKS, project_schema
from support.documentation_pages import ROOT


def test_hooks_are_command_lines() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    words = [each["entry"].split() for each in hooks]
    assert all(program == "rulewright" and verb in VERB_DESCRIPTIONS for program, verb in words)
    assert [re.search(each["files"], "rules/skirmish.rules") is not None for each in hooks] == [True] * 3


def test_the_action_fails_on_what_a_project_may_say() -> None:
    review = run_path(str(ROOT / ".github/actions/review/review.py"))
    assert {*review["COMMANDS"], "changed", "unknown"} == set(REVIEW_CHECKS)
    assert set(review["ALWAYS"]) <= set(REVIEW_CHECKS)
    assert all(words[0] in VERB_DESCRIPTIONS for words in review["COMMANDS"].values())
    assert review["block"]("`````").startswith("``````text\n")
    action = yaml.safe_load((ROOT / ".github/actions/review/action.yml").read_text(encoding="utf-8"))
    assert any("review.py" in each.get("run", "") for each in action["runs"]["steps"])


def test_the_project_file_of_the_page_is_one() -> None:
    page = (ROOT / "grammar/team.md").read_text(encoding="utf-8")
    [content] = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    found = tomllib.loads(content)
    jsonschema.validate(found, project_schema())
    assert found.keys() == project_schema()["properties"].keys()
