"""JSON data in one line, as people write YAML."""

import json

from rulewright.inputs.nodes import Json
from rulewright.inputs.value_reader import FLAGS


def one_line(data: Json) -> str:
    """JSON data in one line as people write it: `yes`, and texts without quotes where they need none."""
    match data:
        case bool():
            return "yes" if data else "no"
        case str() if data.replace("_", "a").isidentifier() and data.isascii() and data not in _QUOTED:
            return data
        case list():
            return f"[{', '.join(map(one_line, data))}]"
        case dict():
            return f"{{{', '.join(f'{one_line(key)}: {one_line(value)}' for key, value in data.items())}}}"
        case _:
            return json.dumps(data, ensure_ascii=False)


_QUOTED = {*FLAGS, "True", "TRUE", "False", "FALSE", "null", "Null", "NULL"}
