import pytest

from rulewright.base.diagnostics.pages import FencedBlock, find_page, list_page_files, parse_page

PAGE = """---
code: RW0201
title: unknown name
severity: error
---
First paragraph.

Second.

## Fails
```rules
ruleset a "A" revision "1"
```

```message
error RW0201: m
```

## Mended
```rules
fine
```
"""


def test_a_page_in_its_parts() -> None:
    found = parse_page(PAGE)
    assert (found.code, found.title, found.severity) == ("RW0201", "unknown name", "error")
    assert found.text == "First paragraph.\n\nSecond."
    assert found.fails == (
        FencedBlock("rules", 'ruleset a "A" revision "1"\n'),
        FencedBlock("message", "error RW0201: m\n"),
    )
    assert found.mended == (FencedBlock("rules", "fine\n"),)


@pytest.mark.parametrize("content", ["", "code: RW0201\n", "---\ncode: RW0201\n---\nno title\n"])
def test_a_page_without_its_front_matter_is_refused(content: str) -> None:
    with pytest.raises(ValueError, match="front matter"):
        parse_page(content)


def test_codes_are_in_order_and_found_in_any_case() -> None:
    assert list(list_page_files()) == sorted(list_page_files())
    found = find_page("rw0001")
    assert found is not None
    assert found.code == "RW0001"
    assert find_page("RW9999") is None
