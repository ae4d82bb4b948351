"""With `--reach`: after the plays, how much of each ruleset they reached together."""

from collections import defaultdict
from collections.abc import Callable

import pytest

from support.play_coverage import Reached, report_reach
from support.random_plays import load_game


@pytest.fixture
def reaches(
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
    name: str,
    overlays: tuple[str, ...],
    procedure: str,
) -> Callable[[set[Reached]], None]:
    """Takes what the plays of a game reached, for the report if one is wanted."""

    def take(found: set[Reached]) -> None:
        if request.config.getoption("--reach"):
            record_property("reached", [name, list(overlays), procedure, sorted(map(list, found))])

    return take


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A section for each ruleset with its overlays, over all procedures played."""
    reached: dict[tuple[str, tuple[str, ...], str], set[Reached]] = defaultdict(set)
    for each in terminalreporter.getreports("passed"):
        for _, (name, overlays, procedure, found) in (pair for pair in each.user_properties if pair[0] == "reached"):
            reached[name, tuple(overlays), procedure] |= {(address, outcome) for address, outcome in found}
    for name, overlays in sorted({(name, overlays) for name, overlays, _ in reached}):
        together = {procedure: found for (*game_, procedure), found in reached.items() if game_ == [name, overlays]}
        terminalreporter.section(" + ".join(("reached by plays of", name, *overlays)))
        program = load_game(name, overlays, next(iter(together))).ruleset.program
        for line in report_reach(program, set().union(*together.values())):
            terminalreporter.line(line)
