"""Pages of HTML as tests look at them."""

from html.parser import HTMLParser

EMPTY = frozenset({"meta", "br"})


class HtmlPage(HTMLParser):
    """What a page holds: every tag with its attributes; closing tags have to fit."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += [] if tag in EMPTY else [tag]
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()
