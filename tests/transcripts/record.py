"""Transcripts of every verb in every form on every shipped ruleset and starter, kept byte for byte in `corpus`.

`python tests/transcripts/record.py` renews them; `--check` compares what is kept and prints what differs, `--missing`
records what is not kept yet. Names of subjects or sections, such as `mel` or `mel/charts`, limit it to these.
"""

import argparse
import difflib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests")]

from transcripts.capture import Transcript, quiet_machine
from transcripts.sections import GENERAL, SECTIONS
from transcripts.subject import Subject, all_subjects

CORPUS = Path(__file__).parent / "corpus"
STAGES = "stages"
"""The section that has a file of its own: it shows the names of the code, and changes with them."""
_SECTION = re.compile(r"^== (.+)\n\n", re.MULTILINE)
_HEAVY = ("comparisons", "tests", "likelihoods", "mistakes")


def record_transcript(subject: Subject, section: str) -> list[str]:
    """The entries of one section of a subject."""
    with TemporaryDirectory(prefix="transcript-") as made:
        folder = Path(made).resolve() / "work"
        folder.mkdir()
        if subject.sort:
            subject.copy_to(folder)
        with quiet_machine(folder):
            transcript = Transcript(folder)
            (SECTIONS if subject.sort else GENERAL)[section](transcript, subject)
    return transcript.entries


def kept_sections(path: Path) -> dict[str, str]:
    """The sections of a file of the corpus."""
    _, *parts = _SECTION.split(path.read_text(encoding="utf-8")) if path.exists() else [""]
    return {name: content.rstrip("\n") for name, content in zip(parts[::2], parts[1::2], strict=True)}


def wanted_sections(names: Sequence[str]) -> list[tuple[Subject, str]]:
    """Subjects with their sections, those that take long last."""
    every = [(subject, section) for subject in all_subjects() for section in SECTIONS]
    every += [(Subject("", "general"), section) for section in GENERAL]
    chosen = [each for each in every if not names or {each[0].name, f"{each[0].name}/{each[1]}"} & {*names}]
    return sorted(chosen, key=lambda each: each[1] in _HEAVY)


def recorded_sections(wanted: Sequence[tuple[Subject, str]], workers: int) -> Iterator[tuple[Subject, str, list[str]]]:
    """What each section comes to; one process for each, so that none hangs on what another left behind."""
    os.environ["PYTHONPATH"] = str(ROOT / "tests")
    context = get_context("forkserver")
    context.set_forkserver_preload(["transcripts.prepared"])
    with ProcessPoolExecutor(workers, mp_context=context, max_tasks_per_child=1) as pool:
        begun = {pool.submit(_timed, subject, section): (subject, section) for subject, section in wanted}
        for future in as_completed(begun):
            (subject, section), (entries, seconds) = begun[future], future.result()
            print(f"{subject.name}/{section}: {len(entries)} entries, {seconds:.1f} s", file=sys.stderr)
            yield subject, section, entries


def _timed(subject: Subject, section: str) -> tuple[list[str], float]:
    begun = monotonic()
    return record_transcript(subject, section), monotonic() - begun


def corpus_file(subject: Subject, section: str) -> Path:
    """Where a section of a subject is kept."""
    return CORPUS / (f"{subject.name}.{STAGES}.txt" if section == STAGES else f"{subject.name}.txt")


def write_section(path: Path, section: str, text: str) -> None:
    """Puts a section into its file, among the others in their order."""
    order = {each: number for number, each in enumerate((*SECTIONS, *GENERAL))}
    every = sorted({**kept_sections(path), section: text}.items(), key=lambda each: order[each[0]])
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(f"== {name}\n\n{content}\n" for name, content in every), encoding="utf-8")


def main() -> int:
    """Renews or compares; 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SUBJECT[/SECTION]")
    parser.add_argument("--check", action="store_true", help="compare with the corpus and print what differs")
    parser.add_argument("--missing", action="store_true", help="record only sections that the corpus does not have yet")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    wanted = wanted_sections(given.names)
    lacking = [each for each in wanted if each[1] not in kept_sections(corpus_file(*each))]
    if given.missing:
        wanted = lacking
    elif given.check and lacking:
        wanted = [each for each in wanted if each not in lacking]
        print(f"not recorded yet: {', '.join(f'{each.name}/{section}' for each, section in lacking)}", file=sys.stderr)
    count, differs = 0, False
    for subject, section, entries in recorded_sections(wanted, given.workers):
        count += len(entries)
        text, path = "\n".join(entries).rstrip("\n"), corpus_file(subject, section)
        if given.check:
            kept = kept_sections(path).get(section, "")
            for line in difflib.unified_diff(
                kept.splitlines(), text.splitlines(), f"{path.name} {section}", "now", lineterm=""
            ):
                differs = True
                print(line)
        else:
            write_section(path, section, text)
    print(f"{count} entries; {'they differ' if differs else 'compared' if given.check else 'renewed'}", file=sys.stderr)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
