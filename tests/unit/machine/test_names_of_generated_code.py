"""What generated code calls by name is one function."""

from collections import Counter
from types import FunctionType

from rulewright.machine.compile import PROVIDERS


def test_no_two_modules_offer_one_name() -> None:
    offered = Counter(
        name
        for each in PROVIDERS
        for name, value in vars(each).items()
        if isinstance(value, FunctionType) and value.__module__ == each.__name__ and not name.startswith("_")
    )
    assert [name for name, many in offered.items() if many > 1] == []
