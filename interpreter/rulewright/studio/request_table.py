"""What panes ask: requests by name, each with the schema of what is given and one function that answers, whoever carries them.

Nothing here, nor in what answers, knows HTTP: `studio/server.py` makes routes of a table, and a page without a server asks
the same table in its worker.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeVar

from rulewright.documents.document_nodes import data_to_node
from rulewright.documents.document_shapes import DocumentShape

BAD_REQUEST_MESSAGE = "the workbench did not understand what the browser sent; load the page again"
NO_SUCH_REQUEST_MESSAGE = "there is no such page of the workbench"
_MAX_LIST_ITEMS = 40

RequestSchema = Mapping[str, Any]
"""A JSON Schema."""

TEXT: RequestSchema = {"type": "string"}
FLAG: RequestSchema = {"type": "boolean"}
LINE_NUMBER: RequestSchema = {"type": "integer", "minimum": 1}
OPTIONAL_TEXT: RequestSchema = {"type": ["string", "null"]}
OPTIONAL_FLAG: RequestSchema = {"type": ["boolean", "null"]}
TEXT_LIST: RequestSchema = {"type": ["array", "null"], "items": TEXT, "maxItems": _MAX_LIST_ITEMS}
TEXT_MAP: RequestSchema = {"type": ["object", "null"], "additionalProperties": TEXT}

_Result = TypeVar("_Result")


class RequestProblem(Exception):  # noqa: N818 - words for a designer
    """A refused request: status, message and further keys of the reply."""

    def __init__(self, status: int, words: str, **more: Any) -> None:  # whatever JSON can hold
        super().__init__(words)
        self.status = status  # as of HTTP
        self.message = words  # a clause
        self.more = more  # further keys of the reply


class Caller(Protocol):
    """Who asks."""

    async def is_gone(self) -> bool:
        """Whether nobody waits for the answer any more."""


RequestHandler = Callable[[dict[str, Any], Caller], Awaitable[dict[str, Any]]]
"""Function from what is given to the reply; raises `RequestProblem`."""


@dataclass(frozen=True)
class PaneRequest:
    """One thing that a pane asks."""

    name: str
    handler: RequestHandler
    required: Mapping[str, RequestSchema] = field(default_factory=dict)  # by name of what is given
    optional: Mapping[str, RequestSchema] = field(default_factory=dict)  # by name
    is_open: bool = False  # more may be given
    is_read: bool = False  # changes nothing, and takes texts alone

    @property
    def schema(self) -> RequestSchema:
        """JSON Schema of what is given."""
        return {
            "type": "object",
            "properties": {**self.required, **self.optional},
            "required": [*self.required],
            "additionalProperties": self.is_open,
        }

    def check_given(self, given: object) -> dict[str, Any]:
        """What is given, once it is as the schema says.

        Raises:
            RequestProblem: it is not.
        """
        if not isinstance(given, dict) or not self._is_valid(given) or not _is_encodable_data(given):
            raise RequestProblem(400, BAD_REQUEST_MESSAGE)
        return given

    def _is_valid(self, given: dict[str, Any]) -> bool:
        try:
            return self._shape.is_valid(data_to_node(given))
        except ValueError:
            return False

    @cached_property
    def _shape(self) -> DocumentShape:
        return DocumentShape(dict(self.schema))


class RequestTable:
    """All requests, by name."""

    def __init__(self, requests: Iterable[PaneRequest]) -> None:
        self._by_name = {request.name: request for request in requests}

    def list_requests(self) -> tuple[PaneRequest, ...]:
        """All requests."""
        return tuple(self._by_name.values())

    async def answer(self, name: str, given: object, caller: Caller) -> dict[str, Any]:
        """The reply to a request.

        Raises:
            RequestProblem: it is refused.
        """
        request = self._by_name.get(name)
        if request is None:
            raise RequestProblem(404, NO_SUCH_REQUEST_MESSAGE)
        return await request.handler(request.check_given(given), caller)


async def run_blocking(function: Callable[..., _Result], *arguments: Any) -> _Result:  # those of the function
    """Result of a function that reads or writes files: in a thread, where there are threads."""
    if sys.platform == "emscripten":
        return function(*arguments)
    return await asyncio.to_thread(function, *arguments)


def _is_encodable_data(data: object) -> bool:
    """Whether no text in JSON data has a lone surrogate."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
