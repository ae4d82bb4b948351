"""JSON data in one line, as people write YAML."""

import json
import re

from rulewright.inputs.nodes import Json
from rulewright.inputs.scalars import resolve
from rulewright.inputs.value_reader import FLAGS


def one_line(data: Json) -> str:
    """JSON data in one line as people write it: `yes`, and texts without quotes where they need none."""
    match data:
        case bool():
            return "yes" if data else "no"
        case str() if _is_plain(data):
            return data
        case list():
            return f"[{', '.join(map(one_line, data))}]"
        case dict():
            return f"{{{', '.join(f'{one_line(key)}: {one_line(value)}' for key, value in data.items())}}}"
        case _:
            return json.dumps(data, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    """Whether a text is itself without quotes, also in brackets."""
    return len(text) <= _LONGEST and bool(_PLAIN.fullmatch(text)) and text not in _QUOTED and resolve(text) == text


_LONGEST = 100
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./'-]*(?: [A-Za-z0-9_./'-]+)*")
_QUOTED = {*FLAGS, "True", "TRUE", "False", "FALSE", "null", "Null", "NULL"}
