"""Running calls, and how a line leaves them."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from rulewright.program.declarations import (
    Procedure,
    Watch,
)
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Env

Run = Generator[JudgeRequest, Any, Any]


class StopBlock(Exception):
    """`stop`."""


class ProceedToStep(Exception):
    def __init__(self, step: str) -> None:
        super().__init__(step)
        self.step = step


class FinishCall(Exception):
    def __init__(self, value: Any, *, given: bool) -> None:
        super().__init__()
        self.value = value
        self.given = given


class FinishOuterCall(Exception):
    def __init__(self, call_: "Call", value: Any) -> None:
        super().__init__()
        self.call = call_
        self.value = value


class Refusal(Exception):
    """The first `require` of the outermost procedure that does not hold."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@dataclass(eq=False)
class Call:
    """A running procedure: its names, watches and holds, and how often its lines have jumped."""

    procedure: Procedure
    env: Env
    watches: list[Watch] = field(default_factory=list)
    holds: list[str] = field(default_factory=list)
    jumps: dict[str, int] = field(default_factory=dict)
