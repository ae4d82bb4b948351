"""Rulings of whole files and clauses answered for without a line, as items."""

from collections.abc import Iterator

from rulewright.comparing.outline import Item
from rulewright.comparing.outlining.declaring import Declaring


def remarks(declaring: Declaring) -> Iterator[Item]:
    """What only people read."""
    program = declaring.program
    for ruling in program.rulings:
        if "/" not in ruling.address:
            yield Item("ruling", ruling.id, "", declaring.text(ruling.span), ruling.span, title=ruling.text)
    for account in program.accounts:
        named = ", ".join(account.clauses)
        yield Item(account.word, named, "", declaring.text(account.span), account.span, title=account.reason)
