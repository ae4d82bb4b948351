"""One section of the transcripts; `record.py --check` compares all."""

from transcripts.record import corpus_file, kept_sections, record_transcript
from transcripts.subject import Subject


def test_a_recorded_section_is_as_the_corpus_has_it() -> None:
    subject = Subject("rulesets", "pig")
    recorded = "\n".join(record_transcript(subject, "chapters")).rstrip("\n")
    assert recorded == kept_sections(corpus_file(subject, "chapters"))["chapters"]
