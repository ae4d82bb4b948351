"""Positions in the units of a client and offsets of code points lead to each other."""

from hypothesis import given, strategies as st
from lsprotocol.types import Position

from rulewright.editor.language_server.protocol_conversion import CODE_UNIT_BYTES, LineIndex

TEXTS = st.text(st.sampled_from("ab \n\rä…\u2028\N{GAME DIE}\N{SMILING FACE WITH OPEN MOUTH}"), max_size=40)


@given(TEXTS, st.sampled_from(sorted(CODE_UNIT_BYTES)))
def test_every_offset_has_a_position_that_leads_back(content: str, encoding: str) -> None:
    found = LineIndex(content, CODE_UNIT_BYTES[encoding])
    for offset in range(len(content) + 1):
        position = found.position_at(offset)
        assert found.offset_at(position) == offset
        line = content.split("\n")[position.line]
        before = line[: offset - sum(len(each) + 1 for each in content.split("\n")[: position.line])]
        assert (
            position.character
            == len(before.encode(encoding if encoding == "utf-8" else f"{encoding}-le")) // CODE_UNIT_BYTES[encoding]
        )


def test_a_position_inside_of_a_character_is_its_beginning() -> None:
    assert LineIndex("a\N{GAME DIE}b", 2).offset_at(Position(0, 2)) == 1


def test_a_position_beyond_a_line_or_the_text_is_its_end() -> None:
    lines = LineIndex("ab\nc", 2)
    assert [lines.offset_at(Position(0, 9)), lines.offset_at(Position(1, 9)), lines.offset_at(Position(7, 0))] == [
        2,
        4,
        4,
    ]
