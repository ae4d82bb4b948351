"""Options: `--accept` writes what came out into cases written as data.

`--plays N` plays longer, `--reach` reports how far the plays got. `--long` runs the tests marked `long`, too, and has
others draw more. The core interpreter follows every play of the judge.
"""

import gc
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

import pytest


class ProductFinder:
    """Imports the product as it is: as the home of a plugin of pytest it would have its asserts rewritten, too."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.startswith("rulewright.") else None


sys.meta_path.insert(0, ProductFinder)
gc.disable()  # until all tests are collected
pytest.register_assert_rewrite("support")

from support.sample_sizes import LONG_TESTS, choose_count, draw_at_length  # noqa: E402 - after what has its asserts told in full


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what came out into the language cases; read the diff")
    parser.addoption("--plays", type=int, default=0, help="how many random plays of each shipped ruleset")
    parser.addoption("--long", action="store_true", help="also run what is left out for its length, and draw more")
    parser.addoption("--reach", action="store_true", help="report which steps, lines, options and rows no play reached")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--long"):
        draw_at_length()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        left = [item for item in items if item.get_closest_marker("long") or item.nodeid in LONG_TESTS]
        out = {*left}
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in out]
    elif not any("::" in argument for argument in config.args):
        files = {item.nodeid.partition("::")[0] for item in items}
        gone = {name for name in LONG_TESTS if name.partition("::")[0] in files} - {item.nodeid for item in items}
        if gone:
            raise pytest.UsageError(f"tests/long.txt names tests that are not there: {sorted(gone)}")


def pytest_collection_finish() -> None:
    """Lets core follow the judge, if any test asks it.

    Has the collector of garbage go by what tests make, not again and again through ten thousand collected tests.
    """
    judge = sys.modules.get("support.reference.play")
    if judge is not None:
        from support.core_comparison import CoreFollower  # noqa: PLC0415 - not for tests that ask no judge

        judge.followers.append(CoreFollower)
    gc.freeze()
    gc.set_threshold(500_000, 4, 20)
    gc.enable()


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))


@pytest.fixture
def plays(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--plays")) or choose_count(2, 20)
