"""One option for tests written as data: `--accept` writes what came out into the cases."""

import pytest

pytest.register_assert_rewrite("compare")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what came out into the language cases; read the diff")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))
