"""Reviews the rules of this folder against a revision of git: `review.py REVISION`.

Prints Markdown: the first screen of what changed for players, ruleset by ruleset, then what was looked at. Exits with 1
where something failed that `rulewright.toml` lists under `[review] fails`.
"""

import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ALWAYS = ["check", "test"]
"""What fails a review where the project does not say."""

COMMANDS = {
    "check": ("check",),
    "fmt": ("fmt", "--check"),
    "test": ("test",),
    "cover": ("cover",),
    "mutate": ("mutate",),
}
LONGEST = 12_000
"""How many characters of one answer are shown; a comment holds 65,536."""

CHANGED, UNREADABLE, UNKNOWN = 1, 2, 3
"""Exit codes of `rulewright diff`."""


@dataclass(frozen=True)
class Said:
    """What a command said."""

    ended: int
    text: str


def rulewright(*words: str) -> Said:
    """Runs a command line."""
    done = subprocess.run(["rulewright", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # noqa: S603, S607
    return Said(done.returncode, done.stdout.decode("utf-8", "replace").strip())


def block(text: str) -> str:
    """A text as it is, whatever it holds: no Markdown in it counts."""
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… and more"
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence}text\n{shown}\n{fence}"


def compared(place: str, base: str) -> tuple[Said, str]:
    """What is different for players in a ruleset, and as which of `changed` and `unknown` that counts."""
    there = subprocess.run(["git", "cat-file", "-e", f"{base}:./{place}"], capture_output=True, check=False)  # noqa: S603, S607
    if there.returncode:
        return Said(0, "new: the revision before has none of it"), ""
    said = rulewright("diff", "--git", base, place)
    return said, {CHANGED: "changed", UNREADABLE: "unknown", UNKNOWN: "unknown"}.get(said.ended, "")


def main(base: str) -> int:
    """Prints the review; 1 where something failed that must not."""
    project = Path("rulewright.toml")
    readable = rulewright("check", ".")
    if "RW0018" in readable.text:
        sys.stdout.write(f"<!-- rulewright -->\n{block(readable.text)}\n")
        return 1
    said = tomllib.loads(project.read_text(encoding="utf-8-sig")) if project.exists() else {}
    places, fails = said.get("rulesets") or ["."], said.get("review", {}).get("fails", ALWAYS)
    lines, failed = ["<!-- rulewright -->"], list[str]()
    for place in places:
        found, counts = compared(place, base)
        failed += [counts] if counts in fails and counts not in failed else []
        lines += ["", f"### `{place.replace('`', '')}`", "", block(found.text)]
    lines += ["", "| looked at | |", "|---|---|"]
    details = list[str]()
    for verb, words in COMMANDS.items():
        if verb not in fails:
            continue
        found = rulewright(*words, *places)
        lines.append(f"| `rulewright {' '.join(words)}` | {'**failed**' if found.ended else 'fine'} |")
        if found.ended:
            failed.append(verb)
            details += ["", f"<details><summary><code>rulewright {verb}</code></summary>"]
            details += ["", block(found.text), "", "</details>"]
    lines += details
    if failed:
        lines += ["", f"`rulewright.toml` says that a review fails on: {', '.join(f'`{each}`' for each in failed)}."]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
