"""Pages of questions with their answers: what is answered is compared with the whole page, and `--accept` writes it anew.

A block of such a page begins with what it asks, and of what. Each of its lines that is not indented is a question; what is
answered stands indented below it. In a question `⏎` is the end of a line.
"""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

_BLOCK = re.compile(r"^```(?P<asks>\w+)(?: (?P<about>[^\n]+))?\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^(\S.*)\n(?: .*\n|\n)*", re.MULTILINE)
Answer = Callable[[str, str, str, str], Iterable[str]]
"""The lines that answer a question: given what is asked, of what, the question and its section so far."""


def check_page(page: Path, kinds: Collection[str], answer: Answer, *, accept: bool) -> None:
    """Asks all questions in the blocks of some kinds."""
    text = page.read_text(encoding="utf-8")

    def answer_block(block: re.Match[str]) -> str:
        asks, about = block["asks"], block["about"] or ""
        if asks not in kinds:
            return block[0]
        section = text[text.rfind("\n## ", 0, block.start()) + 1 : block.start()]
        lines = list[str]()
        for question in re.findall(_QUESTION, block["content"]):
            found = answer(asks, about, question.replace("⏎", "\n"), section)
            lines += [question, *(f"  {each}".rstrip() for each in found)]
        return "\n".join((block[0].partition("\n")[0], *lines, "```"))

    answered = _BLOCK.sub(answer_block, text)
    if accept:
        page.write_text(answered, encoding="utf-8")
    assert answered == text
