"""Every type of the language has a codec."""

from typing import get_args

from rulewright.program import board_geometry
from rulewright.program.types import PlaneType, Type
from rulewright.runtime.type_codecs import CODECS_BY_TYPE, codec_of


def test_every_type_has_a_codec() -> None:
    assert set(CODECS_BY_TYPE) | {PlaneType} == set(get_args(Type))


def test_every_type_of_the_plane_has_a_codec() -> None:
    types = [each for each in vars(board_geometry).values() if isinstance(each, PlaneType)]
    assert len({id(codec_of(each)) for each in types}) == len(types) == 5
