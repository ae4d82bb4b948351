"""WebAssembly for sets: the bits of one number, or wide, of several that lie in memory one behind the other."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from rulewright.odds.batch.shapes import WORD_BITS
from rulewright.odds.batch.writer import WORD, Body, Module, constant, held
from rulewright.program.types import Type


def is_bit(members: str, number: str) -> str:
    """Whether a set of one number has a member."""
    return f"(i32.wrap_i64 (i64.and (i64.shr_u {members} {number}) (i64.const 1)))"


def bit(number: str) -> str:
    """Code for the set of one member, as one number."""
    return f"(i64.shl (i64.const 1) {number})"


def new(body: Body, item: Type) -> str:
    """The name of a set without members, to which they are put."""
    words = body.module.shapes.words(item)
    return body.temporary(f"(call {body.module.library('wide')} {constant(words)})" if words else constant(0))


def put(body: Body, item: Type, name: str, member: str) -> str:
    """A line that puts a member to a set that is made."""
    if body.module.shapes.words(item):
        return f"(call {body.module.library('put')} {held(name)} {member})"
    return f"(local.set {name} (i64.or {held(name)} {bit(member)}))"


def has(module: Module, item: Type, members: str, member: str) -> str:
    """Whether a set has a member, as a test; the member is one that the set may have."""
    if module.shapes.words(item):
        return f"(call {module.library('has')} {members} {member})"
    return is_bit(members, member)


def count(body: Body, item: Type, members: str) -> str:
    """How many members a set has."""
    words = body.module.shapes.words(item)
    return f"(call {body.module.library('many')} {members} {constant(words)})" if words else f"(i64.popcnt {members})"


def nth(body: Body, item: Type, members: str, number: str) -> str:
    """The member of a set that has so many before it; there is one."""
    if words := body.module.shapes.words(item):
        return f"(call {body.module.library('wide_nth')} {members} {constant(words)} {number})"
    return f"(call {body.module.library('nth')} {members} {number})"


def joined(body: Body, item: Type, one: str, other: str, *, less: bool = False) -> str:
    """The members of both sets, or those of the first that the second has not."""
    if words := body.module.shapes.words(item):
        return f"(call {body.module.library('less' if less else 'joined')} {one} {other} {constant(words)})"
    return f"(i64.and {one} (i64.xor {other} (i64.const -1)))" if less else f"(i64.or {one} {other})"


def same(body: Body, item: Type, one: str, other: str) -> str:
    """Whether two sets have the same members, as a test."""
    if words := body.module.shapes.words(item):
        return f"(call {body.module.library('same')} {one} {other} {constant(words)})"
    return f"(i64.eq {one} {other})"


def each(body: Body, item: Type, members: str) -> AbstractContextManager[str]:
    """A loop through the members of a set, in order; yields the name of the one it is at."""
    words = body.module.shapes.words(item)
    return _each_wide(body, members, words) if words else each_bit(body, members)


@contextmanager
def each_bit(body: Body, members: str) -> Iterator[str]:
    """A loop through the members of a set of one number."""
    rest, member = body.temporary(members), body.temporary()
    with body.until(f"(i64.eqz {held(rest)})"):
        body.line(f"(local.set {member} (i64.ctz {held(rest)}))")
        body.line(f"(local.set {rest} (i64.and {held(rest)} (i64.sub {held(rest)} (i64.const 1))))")
        yield member


@contextmanager
def _each_wide(body: Body, members: str, words: int) -> Iterator[str]:
    at, before, member = body.temporary(members), body.temporary(constant(0)), body.temporary()
    with body.until(f"(i64.ge_u {held(before)} {constant(words * WORD_BITS)})"):
        with each_bit(body, f"(i64.load (i32.wrap_i64 {held(at)}))") as low:
            body.line(f"(local.set {member} (i64.add {held(before)} {held(low)}))")
            yield member
        body.line(f"(local.set {at} (i64.add {held(at)} (i64.const {WORD})))")
        body.line(f"(local.set {before} (i64.add {held(before)} (i64.const {WORD_BITS})))")
