"""JSON Schemas (2020-12) of everything that comes from outside."""

from rulewright.inputs.schemas.questions import questions_schema
from rulewright.inputs.schemas.request import request_schema
from rulewright.inputs.schemas.script import save_schema, script_schema
from rulewright.inputs.schemas.state import state_schema

__all__ = ["questions_schema", "request_schema", "save_schema", "script_schema", "state_schema"]
