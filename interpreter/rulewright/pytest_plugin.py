"""Pytest plugin: scenario files as test items, and the fixture `ruleset` for tests written in Python.

Every case of a `*.scenario.yaml` is an item with the marker `scenario`; one with a reason to skip is skipped. Nothing
of rulewright is imported before there is a scenario file or the fixture is used.

```python
def test_a_hit(ruleset):
    play = api.start(ruleset("skirmish"), "strike", STATE, {"striker": "gawain", "target": "mordred"})
```
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rulewright.api import Ruleset
    from rulewright.scenarios.case_opening import RulesetLoader
    from rulewright.scenarios.suite import CaseResult, ScenarioCase

_SCENARIO_SUFFIX = ".scenario.yaml"
_RULES_BY_FILES = pytest.StashKey["dict[Any, RulesetLoader]"]()


class ScenarioError(Exception):
    """A failed or wrong scenario; the text has the report."""


class ScenarioWarning(pytest.PytestWarning):
    """A warning about a scenario file, such as an unused key."""


class ScenarioFile(pytest.File):
    """A scenario file as a collector."""

    def collect(self) -> "Iterator[ScenarioItem]":
        """One item for each case, in order.

        Raises:
            CollectError: the file has errors.
        """
        from rulewright.base.diagnostics.renderings import render_plain_diagnostic  # noqa: PLC0415 - nothing is loaded without a need
        from rulewright.scenarios.scenario_files import read_cases  # noqa: PLC0415

        rules = _compiled_rules(self.config, self.path.parent)
        read_result = read_cases([str(self.path)], rules)
        if read_result.value is None:
            raise self.CollectError(
                "\n".join(render_plain_diagnostic(item, rules.texts) for item in read_result.diagnostics)
            )
        for diagnostic in read_result.diagnostics:
            self.warn(ScenarioWarning(render_plain_diagnostic(diagnostic, rules.texts)))
        for case in read_result.value:
            yield ScenarioItem.from_case(self, case, rules)


class ScenarioItem(pytest.Item):
    """A case of a scenario file as a test item."""

    case: "ScenarioCase"
    rules: "RulesetLoader"

    @classmethod
    def from_case(cls, parent: ScenarioFile, case: "ScenarioCase", rules: "RulesetLoader") -> "ScenarioItem":
        item: ScenarioItem = cls.from_parent(parent, name=case.name)
        item.case, item.rules = case, rules
        item.add_marker(pytest.mark.scenario)
        if case.skip:
            item.add_marker(pytest.mark.skip(reason=case.skip))
        return item

    def runtest(self) -> None:
        """Play the case.

        Raises:
            ScenarioError: it failed, or is wrong.
        """
        from rulewright.scenarios.case_play import play_case  # noqa: PLC0415
        from rulewright.scenarios.suite import ONLY_PLAYED, UNJUDGED_MESSAGE  # noqa: PLC0415

        result = play_case(self.case, self.rules)
        if result.outcome == ONLY_PLAYED:
            pytest.skip(UNJUDGED_MESSAGE)
        if result.outcome != "passed":
            raise ScenarioError("\n".join(_render_failure(result, self.rules)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """The report of a failed scenario; a traceback for any other error."""
        if isinstance(excinfo.value, ScenarioError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """File, line index and name of the case."""
        text = self.rules.texts[self.case.file]
        return self.path, text.get_position(self.case.place.span.start).line - 1, self.case.name


def _compiled_rules(config: pytest.Config, folder: Path) -> "RulesetLoader":
    """Ruleset loader of a project, shared by all its scenario files in a session."""
    from rulewright.documents.ruleset_location import bound_files  # noqa: PLC0415
    from rulewright.scenarios.cached_play import CachedRulesetLoader  # noqa: PLC0415

    files = bound_files([str(folder)])
    return config.stash.setdefault(_RULES_BY_FILES, {}).setdefault(files, CachedRulesetLoader(files))


def _render_failure(result: "CaseResult", rules: "RulesetLoader") -> Iterator[str]:
    from rulewright.base.diagnostics import PLAIN_PAINTER  # noqa: PLC0415
    from rulewright.base.diagnostics.renderings import render_plain_diagnostic  # noqa: PLC0415
    from rulewright.scenarios.suite import ResultRenderer  # noqa: PLC0415

    yield from ResultRenderer(PLAIN_PAINTER).render_result(result)
    yield from (render_plain_diagnostic(problem, rules.texts) for problem in result.problems)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker `scenario`."""
    config.addinivalue_line("markers", "scenario: a case of a rulewright scenario file")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Collector of a scenario file; None for any other file."""
    if not file_path.name.endswith(_SCENARIO_SUFFIX):
        return None
    result: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    return result


@pytest.fixture(scope="session")
def ruleset() -> "Callable[..., Ruleset]":
    """Loads rulesets, each once: `ruleset("a.rules", "b.rules")` is `api.load("a.rules", ["b.rules"])`.

    A file or folder beside the Python file that asks for it comes first.
    """
    import inspect  # noqa: PLC0415
    from functools import cache  # noqa: PLC0415

    from rulewright import api  # noqa: PLC0415

    @cache
    def load_cached(name: str, *overlays: str) -> "Ruleset":
        return api.load(name, overlays)

    def load_beside_caller(*names: str) -> "Ruleset":
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        beside = Path(frame.f_back.f_code.co_filename).parent
        return load_cached(*(str(beside / item) if (beside / item).exists() else item for item in names))

    return load_beside_caller
