"""Policies of players for single questions, laid beside the rules before these are checked."""

from collections.abc import Mapping
from dataclasses import replace

from rulewright.analysis.addresses import edited, parts
from rulewright.analysis.symbols import Linked
from rulewright.program.walk import shared_address
from rulewright.syntax.nodes import statements as s

ByQuestion = Mapping[str, tuple[s.QuestionPolicy, ...]]
"""Policies by the whole address of a line that asks, or by the one that it shares with others of its step."""


def lay(linked: Linked, policies: ByQuestion) -> None:
    """Puts policies at the questions of linked modules."""
    for module in linked.modules if policies else ():
        declarations = []
        for each in module.declarations:
            declared = each
            for part in parts(each):
                address = module.prefix + part.address
                own = (*policies.get(address, ()), *policies.get(shared_address(address), ()))
                if own and part.own and isinstance(part.node, s.Ask):
                    laid = replace(part.node, policies=_once(own))
                    (declared,) = edited(declared, part.node, lambda _, laid=laid: (laid,))  # type: ignore[misc]
            declarations.append(declared)
        module.declarations = tuple(declarations)


def _once(policies: tuple[s.QuestionPolicy, ...]) -> tuple[s.QuestionPolicy, ...]:
    """The first policy of each player."""
    found: dict[str, s.QuestionPolicy] = {}
    for each in policies:
        found.setdefault(each.player, each)
    return tuple(found.values())
