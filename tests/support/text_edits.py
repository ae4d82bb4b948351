"""Texts with an edit that is written down as lines to leave out and lines to put in."""

import re


def edit_text(text: str, edit: str) -> str:
    """The text with every run of `-` lines replaced by the `+` lines after it."""
    for lost, found in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)*)", edit, re.MULTILINE):
        before, after = (re.sub(r"^.", "", part, flags=re.MULTILINE) for part in (lost, found))
        place = before if before in text else before.rstrip("\n")
        assert text.count(place) == 1, before
        text = text.replace(place, after if place == before else after.rstrip("\n"))
    return text
