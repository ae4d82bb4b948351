"""The verb `read`: printed, written, and compared with what was written before."""

from pathlib import Path

from support.duel_example import STRIKE_RULES, STRIKE_SCENARIOS, RunCommand


def test_prose_is_no_markup_and_brings_its_pictures(run: RunCommand) -> None:
    Path("shield.svg").write_text("<svg/>", encoding="utf-8")
    prose = "<b>Two</b> knights.\n\n# A strike\n\n![A shield](shield.svg) and a [trap](javascript:alert)\n"
    Path("duel.md").write_text(prose, encoding="utf-8")
    assert run("read", "duel.rules", "--prose", "duel.md", "--html", "page.html").exit == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;Two&lt;/b&gt; knights." in page.partition("Contents")[0]
    assert 'src="data:image/svg+xml;base64,PHN2Zy8+" alt="A shield"' in page.partition("A strike</h3>")[2]
    assert 'href="javascript' not in page


def test_words_of_an_author_are_no_markup(run: RunCommand) -> None:
    text = Path("duel.rules").read_text(encoding="utf-8")
    Path("duel.rules").write_text(text.replace('"A strike"', '"<b>A</b> *strike* [x](y)"'), encoding="utf-8")
    assert "\\<b\\>A\\</b\\> \\*strike\\* \\[x\\](y)" in run("read", "duel.rules").out
    run("read", "duel.rules", "--html", "duel.html")
    assert "<b>A" not in Path("duel.html").read_text(encoding="utf-8")


def test_a_scenario_is_told_as_an_example_of_play_after_its_procedure(run: RunCommand) -> None:
    Path("duel.rules").write_text(STRIKE_RULES, encoding="utf-8")
    Path("strike.scenario.yaml").write_text(STRIKE_SCENARIOS, encoding="utf-8")
    done = run("read", "duel.rules", "--example", "strike.scenario.yaml::six", "--html", "duel.html")
    assert done.exit == 0, done.err
    page = Path("duel.html").read_text(encoding="utf-8")
    before, _, after = page.partition("Example of play: six")
    assert "mordred loses 1 health: 2 → 1" in after.partition("</aside>")[0]
    assert 'id="procedure-strike"' in before
    assert 'id="part-things"' in after
    assert run("read", "duel.rules", "--example", "strike.scenario.yaml::six", "--check", "duel.html").exit == 0
    assert "RW0794" in run("read", "duel.rules", "--example", "strike.scenario.yaml::seven").err


def test_the_first_page_names_overlays_and_readings(run: RunCommand) -> None:
    rules = Path("duel.rules").read_text(encoding="utf-8")
    rules = rules.replace("procedure strike", 'setting harm: 1..5 = 2 "Harm of a wound"\nprocedure strike')
    Path("duel.rules").write_text(rules.replace("up to 2", "up to harm"), encoding="utf-8")
    Path("house.rules").write_text('amends duel revision "1-house"\nremove strike/alive\n', encoding="utf-8")
    first = run("read", "duel.rules", "--overlay", "house.rules").out.partition("## Contents")[0]
    assert "- Revision: 1\n- Overlay: house.rules, revision 1-house\n- Fingerprint: `" in first
    assert "- Reading: Harm of a wound: 2\n" in first


def test_titles_in_sentences_are_links_and_comments_are_notes_of_the_designer(run: RunCommand) -> None:
    rules = Path("duel.rules").read_text(encoding="utf-8")
    rules = rules.replace(
        "    remove target", "    perform fall(target)\n\n# Nobody stands up again.\nprocedure fall(k: Knight):"
    )
    Path("duel.rules").write_text(f"{rules}  remove k\n", encoding="utf-8")
    done = run("read", "duel.rules", "--html", "duel.html").exit or run("read", "duel.rules")
    assert "- Carry out [fall](#procedure-fall) (the target).\n" in done.out
    assert "### Fall\n\n*Designer's note: Nobody stands up again.*\n" in done.out
    page = Path("duel.html").read_text(encoding="utf-8")
    assert 'Carry out <a href="#procedure-fall" data-number="1.2">fall</a> (the target).' in page
    assert '<p class="note">Designer\N{RIGHT SINGLE QUOTATION MARK}s note: Nobody stands up again.</p>' in page
