"""The grammar for editors that colour by patterns (TextMate), made from the words and shapes of the language.

`python tests/support/textmate_grammar.py` prints how the language itself reads every shipped text, for a judge of the grammar.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rulewright.base.files import get_resource_folder
from rulewright.base.source import COMMENT_OR_STRING
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.words import (
    ASK_FORMS,
    BLOCK_WORDS,
    DECLARATION_WORDS,
    HEADER_WORDS,
    LINE_START_WORDS,
    RESERVED_WORDS,
)

ROOT = Path(__file__).parents[2]
Rule = dict[str, Any]

PLACE = ROOT / "interpreter/studio/vscode/syntaxes/rulewright.tmLanguage.json"

_RULES = re.compile(r"^```rules[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_NUMBERS = {"DICE": "dice", "OR_MORE": "or-more", "DECIMAL": "decimal", "INT": "integer"}
_SHAPES = frozenset({*_NUMBERS, "CITE", "STEP", "ADDRESS", "NAME", "STRING", "COMPARE", "COMMENT", "BROKEN"})
"""Terminals that are no words of the language."""

_TYPES = ("board", "die", "event", "kind", "record", "values")
"""Declarations whose name is coloured as a type; that of others as a function."""

_AMENDMENTS = ("insert", "remove", "replace")
_VALUES = ("no", "none", "yes")
_AMENDED = ["field", "into", "let", "line", "option", "prefer", "require", "row", "setting", "step", "term", "word"]
"""What may stand before the address in an amendment, beside the words for places."""

_BEFORE_NAMES = ["and", "as", "hold", "in", "not", "on", "or", "set", "to", "when", "where"]
"""What no word of the language but those of `_AFTER_ALL` follows: what stands there is a name or a value."""

_ITEM = r"[ \t]+[\w\"({\[-]"
_COUNTED = r"#[0-9]+(?!\w)"
"""Of an address: which of several of the same name."""

_KEYWORD, _SECTION, _TAG = "keyword.control", "entity.name.section", "entity.name.tag"


def build_grammar() -> dict[str, Any]:
    """The grammar, as a TextMate grammar in JSON is read; of patterns that fit at one place, the first counts."""
    shapes = {
        name: each.replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t")
        for name, each in get_engine().terminals.items()
    }
    step = shapes["STEP"].replace("(", "(?:")
    return {
        "name": "Rulewright",
        "scopeName": "source.rulewright",
        "fileTypes": ["rules"],
        "patterns": [
            *_build_plain_rules(shapes),
            *_build_step_rules(step),
            _build_amendment_rules(step, [*_AMENDED, *_extract_words(shapes["PLACE_WORD"])]),
            *_build_line_start_rules(_extract_words(shapes["PATH_WORD"])),
            *(
                _make_match(f"constant.numeric.{name}", _match_whole_word(shapes[each]))
                for each, name in _NUMBERS.items()
            ),
            *_build_word_rules(shapes),
            _make_match("keyword.operator", rf"{shapes['COMPARE']}|\.\.|[-+*/]"),
            _make_match("variable.other", rf"\b{_NAME}\b"),
        ],
    }


def _build_plain_rules(shapes: Mapping[str, str]) -> Iterator[Rule]:
    """Comments, texts, margins: what hangs on no word."""
    yield _make_match("meta.address", rf"(?<=[A-Za-z0-9_]){_COUNTED}")
    yield _make_match("comment.line.number-sign", "#.*$")
    yield _make_match("string.quoted.double", shapes["STRING"])
    yield _make_match("invalid.illegal.unclosed", r'".*$')
    yield _make_match("entity.other.attribute-name.clause", shapes["CITE"])


def _build_step_rules(step: str) -> Iterator[Rule]:
    """Steps where they stand and where a line names one."""
    yield _make_match("", rf'^[ \t]*(step|ruling)[ \t]+({step})(?=[ \t]*(?:[":@#]|when\b|$))', _KEYWORD, _SECTION)
    yield _make_match("", rf"^[ \t]*(proceed[ \t]+to)[ \t]+({step})", _KEYWORD, _SECTION)
    yield _make_match("", rf"\b(steps)[ \t]+({step})[ \t]+(to)[ \t]+({step})", _KEYWORD, _SECTION, _KEYWORD, _SECTION)


def _build_amendment_rules(step: str, amended: Iterable[str]) -> Rule:
    """What changes another file, with its addresses."""
    address = rf"{step}(?:{_COUNTED})?(?:/[A-Za-z0-9_.\-]+(?:{_COUNTED})?)*"
    sort = rf"\b(?:{_match_any(amended)})\b(?=[ \t]+[A-Za-z0-9_])"
    return {
        "begin": rf"^[ \t]*({_match_any(_AMENDMENTS)})\b(?=[ \t]+{sort})|^[ \t]*(remove)(?=[ \t]+{step}/)",
        "end": r'(?=[:"@=]|[ \t]#|$|\b(?:means|when)\b)',
        "beginCaptures": _make_captures(_KEYWORD, _KEYWORD),
        "patterns": [_make_match(_KEYWORD, sort), _make_match(_SECTION, address)],
    }


def _build_line_start_rules(of_paths: Iterable[str]) -> Iterator[Rule]:
    """What lines begin with, and the names that these lines give."""
    others = DECLARATION_WORDS - {*_AMENDMENTS, *_TYPES}
    yield _make_match("", rf"^[ \t]*(let|require|prefer|option)[ \t]+({_NAME})(?![ \t]*[(.])", _KEYWORD, _TAG)
    yield _make_match(
        "", rf"^[ \t]*({_match_any({'across', 'cost', 'side', *of_paths})})[ \t]+({_NAME})(?=[ \t]*:)", _KEYWORD, _TAG
    )
    yield _make_match("", rf"^({_match_any(_TYPES)})[ \t]+({_NAME})", _KEYWORD, "entity.name.type")
    declaring = rf"^((?:inner[ \t]+|external[ \t]+)?(?:{_match_any(others)}))[ \t]+({_NAME})"
    yield _make_match("", declaring, _KEYWORD, "entity.name.function")
    yield _make_match(
        _KEYWORD, rf"^(?:{_match_any(HEADER_WORDS | DECLARATION_WORDS)})\b(?![ \t]*[:=.(])|^game(?=[ \t]*:)"
    )
    yield _make_match("", rf"^[ \t]*((?!(?:else|otherwise|together)\b){_NAME})(?=[ \t]*:)", _TAG)
    first = rf"(?:(?<=^)|(?<=^[ \t])|(?<=: ))[ \t]*\b(?:{_match_any(LINE_START_WORDS | BLOCK_WORDS)})\b"
    yield _make_match(_KEYWORD, rf'{first}(?=[ \t]+[\w"\[({{+\-]|[ \t]*$|[ \t]*[:#@])')


def _build_word_rules(shapes: Mapping[str, str]) -> Iterator[Rule]:
    """Words within a line: the reserved ones anywhere, others where they stand as words and not as names."""
    quantities = _match_any(_extract_words(shapes["QUANTITY"]))
    patterns = {each for name, each in shapes.items() if name not in _SHAPES and _extract_words(each)} - RESERVED_WORDS
    pairs = sorted(each for each in patterns if "[" in each)
    single = [rf"\b{each}\b" if each.isalpha() else each for each in sorted(patterns.difference(pairs))]
    yield _make_match("", rf"(?<!\.)\b(each|every|to[ \t]+choose)[ \t]+({_NAME})", _KEYWORD, "variable.other")
    yield _make_match("constant.language", rf"(?<!\.)\b(?:{_match_any(_VALUES)})\b(?![ \t]*\.[A-Za-z_])")
    yield _make_match(
        "keyword.operator.word",
        rf"(?<!\.)\b(?:{_match_any(RESERVED_WORDS.difference(_VALUES))})\b(?![ \t]*\.[A-Za-z_])",
    )
    yield _make_match(_KEYWORD, rf"{'|'.join(pairs)}|\bat[ \t]+(?:least|most)\b|(?<=when )(?:{quantities})\b")
    yield _make_match(
        _KEYWORD, rf"\b(?:of|{quantities})\b(?={_ITEM})|\bto[ \t]+(?:{_match_any(ASK_FORMS)}|face)\b(?={_ITEM})"
    )
    before = rf'(?<=[\w)\]}}"?*:][ \t])(?<!{"|".join(rf"{chr(92)}b{each}[ {chr(92)}t]" for each in _BEFORE_NAMES)})'
    after = r'(?![.(,)\]=<>!*/|]|[ \t]+(?:[=<>!+*/,)\].]|-[ \t]))(?=[ \t]*[\w"({\[:@#+\-]|[ \t]*$)'
    yield _make_match(_KEYWORD, rf"{before}(?:{'|'.join(single)}){after}")


def _make_match(name: str, pattern: str, *captures: str) -> Rule:
    """A pattern with its colour, or with those of its groups."""
    return {"match": pattern, **({"name": f"{name}.rulewright"} if name else {"captures": _make_captures(*captures)})}


def _make_captures(*names: str) -> dict[str, dict[str, str]]:
    return {str(number): {"name": f"{name}.rulewright"} for number, name in enumerate(names, 1)}


def _match_any(words: Iterable[str]) -> str:
    return "|".join(sorted(words))


def _match_whole_word(pattern: str) -> str:
    return rf"(?<![A-Za-z0-9_])(?:{pattern})(?![A-Za-z0-9_])"


def _extract_words(pattern: str) -> list[str]:
    """The words in a terminal that is one, or any of some."""
    return re.findall(r"[a-z]{2,}", re.sub(r"\\[bt]", " ", pattern))


def read_committed_grammar() -> str:
    """The grammar as it is committed."""
    return json.dumps(build_grammar(), indent=2) + "\n"


def iterate_shipped_texts() -> dict[str, str]:
    """Every shipped text of rules that can be read, by where it stands: rulesets, and blocks of the guide."""
    found = {each.name: each.read_text("utf-8") for each in sorted(get_resource_folder("rulesets").rglob("*.rules"))}
    for page in sorted(get_resource_folder("grammar").rglob("*.md")):
        for at, block in enumerate(_RULES.findall(page.read_text("utf-8")), 1):
            if isinstance(get_engine().parse_tree(block), ParseTree):
                found[f"{page.name}, {at}"] = block
    return found


def tokenize_text(content: str) -> Iterator[tuple[int, int, int, str]]:
    """What the language takes each stretch of a text for: its line, where it begins and ends in UTF-16, its sort."""
    for each in COMMENT_OR_STRING.finditer(content):
        if each["comment"] is not None:
            yield *_locate_token(content, each.start(), each.end()), "comment"
    read = get_engine().parse_tree(content)
    assert isinstance(read, ParseTree)
    for line in read.lines:
        for token in line.tokens:
            sort = _classify_token(token.type, token[:1])
            if sort:
                yield *_locate_token(content, token.start_pos or 0, token.end_pos or 0), sort


def _classify_token(terminal: str, first: str) -> str:
    if terminal in _NUMBERS:
        return "number"
    if terminal in {"NAME", "STEP", "ADDRESS"}:
        return "name"
    return {"STRING": "string", "CITE": "cite"}.get(terminal, "keyword" if first.isalpha() else "")


def _locate_token(content: str, start: int, end: int) -> tuple[int, int, int]:
    above = content.rfind("\n", 0, start) + 1
    return content.count("\n", 0, start), _count_code_units(content[above:start]), _count_code_units(content[above:end])


def _count_code_units(content: str) -> int:
    return len(content.encode("utf-16-le")) // 2


if __name__ == "__main__":
    told = {
        name: {"text": text, "tokens": sorted(tokenize_text(text))} for name, text in iterate_shipped_texts().items()
    }
    sys.stdout.write(json.dumps(told))
