"""Scenario files as items of pytest, and a fixture for tests written in Python.

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
    from rulewright.scenarios.opening import Rules
    from rulewright.scenarios.suite import Case, Result

_ENDING = ".scenario.yaml"
_RULES = pytest.StashKey["dict[Any, Rules]"]()


class ScenarioError(Exception):
    """A scenario failed, or is wrong; the text says how."""


class ScenarioWarning(pytest.PytestWarning):
    """A scenario file has something without use."""


class ScenarioFile(pytest.File):
    """A scenario file."""

    def collect(self) -> "Iterator[ScenarioItem]":
        """Its cases, in order.

        Raises:
            CollectError: something is wrong with the file.
        """
        from rulewright.diagnostics.renderings import plain  # noqa: PLC0415 - nothing is loaded without a need
        from rulewright.scenarios.loading import cases_of  # noqa: PLC0415

        rules = _rules(self.config, self.path.parent)
        found = cases_of([str(self.path)], rules)
        if found.value is None:
            raise self.CollectError("\n".join(plain(each, rules.texts) for each in found.diagnostics))
        for each in found.diagnostics:
            self.warn(ScenarioWarning(plain(each, rules.texts)))
        for case in found.value:
            yield ScenarioItem.of(self, case, rules)


class ScenarioItem(pytest.Item):
    """One case."""

    case: "Case"
    rules: "Rules"

    @classmethod
    def of(cls, parent: ScenarioFile, case: "Case", rules: "Rules") -> "ScenarioItem":
        """The item of a case."""
        item: ScenarioItem = cls.from_parent(parent, name=case.name)
        item.case, item.rules = case, rules
        item.add_marker(pytest.mark.scenario)
        if case.skip:
            item.add_marker(pytest.mark.skip(reason=case.skip))
        return item

    def runtest(self) -> None:
        """Plays the case.

        Raises:
            ScenarioError: it failed, or is wrong.
        """
        from rulewright.scenarios.play import play  # noqa: PLC0415
        from rulewright.scenarios.suite import ONLY_PLAYED  # noqa: PLC0415
        from rulewright.scenarios.telling import UNJUDGED  # noqa: PLC0415

        result = play(self.case, self.rules)
        if result.outcome == ONLY_PLAYED:
            pytest.skip(UNJUDGED)
        if result.outcome != "passed":
            raise ScenarioError("\n".join(_told(result, self.rules)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """What was expected and what came; a traceback only for what is no failure of the scenario."""
        if isinstance(excinfo.value, ScenarioError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file, the line and the name of the case."""
        text = self.rules.texts[self.case.file]
        return self.path, text.position(self.case.place.span.start).line - 1, self.case.name


def _rules(config: pytest.Config, folder: Path) -> "Rules":
    """The rulesets of the scenario files of a project, each compiled once."""
    from rulewright.inputs.project import bounded  # noqa: PLC0415
    from rulewright.scenarios.kept import KeptRules  # noqa: PLC0415

    files = bounded([str(folder)])
    return config.stash.setdefault(_RULES, {}).setdefault(files, KeptRules(files))


def _told(result: "Result", rules: "Rules") -> Iterator[str]:
    from rulewright.diagnostics.renderings import plain  # noqa: PLC0415
    from rulewright.diagnostics.terminal import PLAIN  # noqa: PLC0415
    from rulewright.scenarios.telling import Telling  # noqa: PLC0415

    yield from Telling(PLAIN).lines(result)
    yield from (plain(each, rules.texts) for each in result.wrong)


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line("markers", "scenario: a case of a rulewright scenario file")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """A scenario file among the files."""
    if not file_path.name.endswith(_ENDING):
        return None
    found: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    return found


@pytest.fixture(scope="session")
def ruleset() -> "Callable[..., Ruleset]":
    """Loads rulesets, each once: `ruleset("a.rules", "b.rules")` is `api.load("a.rules", ["b.rules"])`.

    A file or folder beside the Python file that asks for it comes first.
    """
    import inspect  # noqa: PLC0415
    from functools import cache  # noqa: PLC0415

    from rulewright import api  # noqa: PLC0415

    @cache
    def loaded(name: str, *overlays: str) -> "Ruleset":
        return api.load(name, overlays)

    def asked(*names: str) -> "Ruleset":
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        beside = Path(frame.f_back.f_code.co_filename).parent
        return loaded(*(str(beside / each) if (beside / each).exists() else each for each in names))

    return asked
