"""The reference sheet of a ruleset: who decides and rolls what in which step, modifiers, tables, dice, readings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rulewright.chapter.document import Chapter, Paragraph, Section
from rulewright.chapter.english import bare, first_upper, the
from rulewright.chapter.phrases import Phrases
from rulewright.chapter.rows import Rows
from rulewright.chapter.sections import Sections
from rulewright.chapter.sentences import Sentences, numbered, titled
from rulewright.chapter.throws import Throws
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.program.walk import routines
from rulewright.roles import nodes
from rulewright.telling.conditions import listed, spoken


def sheet(program: Program, facts: Sequence[tuple[str, str]]) -> Chapter:
    """A ruleset as a reference sheet: what players look up while they play, without the sentences around it.

    Args:
        program: a checked ruleset.
        facts: what stands below its title, each with its value.
    """
    sections = Sections(program, {})
    parts = (
        _part("Sequence", _sequence(program, sections)),
        _part("Modifiers", _figures(program, sections, (d.Tally, st.TallyLine))),
        _part("Tables", _figures(program, sections, (d.Table, d.Decide, st.DecideLine))),
        Section("Dice", "", "", entries=sections.dice()),
        _part("Readings", sections.chosen()),
    )
    filled = tuple(_bare(each) for each in parts if each.entries or each.sections)
    return Chapter(program.title or spoken(program.name), tuple(facts), filled)


def _part(heading: str, sections: Iterable[Section]) -> Section:
    return Section(heading, "", "", sections=tuple(sections))


def _bare(section: Section) -> Section:
    """A section without clauses, notes and links: these stand in the chapter."""
    entries, inside = tuple(map(_bare_entry, section.entries)), tuple(map(_bare, section.sections))
    return Section(section.heading, section.number, "", entries=entries, sections=inside)


def _bare_entry(entry: Paragraph) -> Paragraph:
    grid = entry.grid and replace(entry.grid, cites=((),) * len(entry.grid.rows))
    return Paragraph(entry.said, tuple(map(_bare_entry, entry.inside)), grid=grid)


def _sequence(program: Program, sections: Sections) -> Iterator[Section]:
    """Procedures in which anybody decides or rolls, and those with steps."""
    for each in sections.ordered():
        told = _Told(program, each)
        before = told.block(tuple(one for one in each.opening if isinstance(one, tuple | d.Watch)))
        steps = tuple(Section(titled(step), numbered(step.id), "", entries=told.step(step)) for step in each.steps)
        if steps or any(isinstance(one, st.Ask | st.Roll | st.Reroll | st.Draw | st.RankKey) for one in nodes(each)):
            yield Section(first_upper(each.title or spoken(each.name)), "", "", entries=before, sections=steps)


class _Told:
    """Tells of one procedure who decides and rolls what."""

    def __init__(self, program: Program, procedure: d.Procedure) -> None:
        self._program = program
        self._say = Phrases(program, procedure.variables, procedure, procedure.parameters)
        self._lines = Sentences(program, self._say, {})

    def step(self, step: d.Step) -> tuple[Paragraph, ...]:
        """What happens in a step, first when it is carried out at all."""
        only = (Paragraph(f"Only if {self._say.sentence(step.guard)}"),) if step.guard is not None else ()
        return (*only, *(self.block(step.block) or self._changes([*nodes(step.block)])))

    def block(self, block: object) -> tuple[Paragraph, ...]:
        """What is decided, rolled and called in a block, in written order, the same only once."""
        found = [*nodes(block)]
        of_all = {id(each.question) for each in found if isinstance(each, st.AskAll)}
        said = (text for each in found if id(each) not in of_all for text in self._line(each))
        return tuple(Paragraph(first_upper(text)) for text in dict.fromkeys(said))

    def _changes(self, lines: Sequence[object]) -> tuple[Paragraph, ...]:
        """What a step changes in which nobody decides or rolls, and its result."""
        changed = self._say.changes(lines) or self._say.names_changed(lines)
        found = [f"Changes {listed(changed)}"] if changed else []
        results = (each.value for each in lines if isinstance(each, st.Finish) and each.value is not None)
        found += dict.fromkeys(f"Result: {self._say.value(each)}" for each in results)
        return tuple(map(Paragraph, found))

    def _line(self, line: object) -> Iterator[str]:
        say, program = self._say, self._program
        match line:
            case st.Ask(who=who):
                yield f"{bare(say.noun(who))}: {self._question(line)}"
            case st.AskAll(players=players, question=question):
                yield f"each of {the(say.members(players))}: {self._question(question)}"
            case st.Roll() | st.Reroll() | st.Draw():
                yield self._lines.block((line,))[0].said.rstrip(".").removeprefix("The ")
            case st.RankKey(dice=tuple(dice)) if dice:
                yield f"{bare(say.noun(line.value))} rolls {Throws(say).dice(dice)}, {line.best} first"
            case st.RankKey(value=value) if line.requests:
                yield f"{bare(say.noun(value))}: {line.title or spoken(line.id)}"
            case st.DecideLine() | st.TallyLine():
                yield f"{line.title or spoken(line.variable.name)}: see its table"
            case st.Perform(procedure=name):
                yield f"→ {program.procedures[name].title or spoken(name)}"
            case st.PerformExternal(external=name):
                yield f"→ {program.external_procedures[name].title or spoken(name)}, in another text"
            case st.Trigger(event=name) if program.events[name].holders is not None:
                yield f"reactions: {program.events[name].title or spoken(name)}"
            case _:
                return

    def _question(self, line: st.Ask) -> str:
        if not isinstance(line.shape, st.Choose):
            return line.prompt.strip()
        options = [each.title or spoken(each.id) for each in line.shape.options]
        return f"{line.prompt.strip()} {listed(options, 'or')}"


def _figures(program: Program, sections: Sections, sorts: tuple[type, ...]) -> Iterator[Section]:
    """Tallies, tables and decisions; those of lines under the name of what they work out."""
    for function in program.functions.values():
        if isinstance(function.body, sorts):
            heading = function.title or spoken(function.name.replace("/", ": "))
            yield Section(first_upper(heading), "", "", entries=tuple(sections.body(function)))
    for routine in routines(program):
        rows = Rows(Phrases(program, routine.variables, routine))
        for each in nodes(routine):
            if isinstance(each, st.TallyLine | st.DecideLine) and isinstance(each, sorts):
                heading = first_upper(each.title or spoken(each.variable.name))
                yield Section(heading, "", "", entries=(rows.figures(each),))
