"""What generated code calls by name is one function, and nothing that it writes hides it."""

from collections import Counter
from collections.abc import Iterator
from types import CodeType, FunctionType

from rulewright.base.files import MemoryFiles
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.runtime.executable import RUNTIME_MODULES, compile_program
from support.language_cases import list_cases, split_blocks
from support.sample_sizes import choose_count, sample_cases


def test_no_two_modules_offer_one_name() -> None:
    offered = Counter(
        name
        for each in RUNTIME_MODULES
        for name, value in vars(each).items()
        if isinstance(value, FunctionType) and value.__module__ == each.__name__ and not name.startswith("_")
    )
    assert [name for name, many in offered.items() if many > 1] == []


def test_no_function_gives_a_value_to_a_name_that_stands_for_another() -> None:
    hidden: set[tuple[str, str, str]] = set()
    compiled = 0
    for case in sample_cases(list_cases(), 4):
        files = {
            each["name"] or "example.rules": each["content"] for each in split_blocks(case.read_text(), "rules", "yaml")
        }
        provider = MemoryFiles(files)
        program = (
            load_ruleset(locate_ruleset("example.rules", provider), provider=provider).program if case.good else None
        )
        if program is None:
            continue
        for traced in (False, True):
            functions = compile_program(program, traced=traced).functions
            offered = {*functions, *functions["__builtins__"]}
            written = [each for each in functions.values() if getattr(each, "__globals__", None) is functions]
            compiled += len(written)
            hidden |= {
                (case.name, each.__name__, name)
                for each in written
                for code in _with_inner(each.__code__)
                for name in offered & {*code.co_varnames, *code.co_cellvars}
            }
    assert hidden == set()
    assert compiled > choose_count(250, 1000)


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _with_inner(each)
