"""Options: `--accept` writes what came out into cases written as data.

`--plays N` plays longer, `--reach` reports how far the plays got.
"""

import pytest

pytest.register_assert_rewrite("support")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what came out into the language cases; read the diff")
    parser.addoption("--plays", type=int, default=20, help="how many random plays of each shipped ruleset")
    parser.addoption("--reach", action="store_true", help="report which steps, lines, options and rows no play reached")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))


@pytest.fixture
def plays(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--plays"))
