"""What is asked of each subject, section by section; every verb in every form."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from rulewright import api
from rulewright.cli.main import VERB_DESCRIPTIONS
from support.corrupted_files import corrupt_text
from support.git_repository import GitRepository
from support.workbench_client import open_browser
from transcripts.capture import Transcript
from transcripts.editor import opened_editor
from transcripts.edits import changed_texts, mistaken_texts
from transcripts.subject import Subject, all_subjects, spread

FORMS = ("human", "plain", "json")
FEW = ("--most", "40", "--max-steps", "2000")
"""What exact odds follow at most; what needs more says so."""
SHORT = ("--max-steps", "2000")
"""How long a play is that nobody's answers end."""
WORK = "2000"
"""Lines that a comparison plays."""
_EDITED = "edited"

Section = Callable[[Transcript, Subject], None]


def checks(to: Transcript, of: Subject) -> None:
    for form in FORMS:
        to.command("check", of.place, "--format", form)
    for overlay in of.overlays[:2]:
        to.command("check", of.place, "--overlay", f"{of.place}/{overlay}")
    to.command("check", of.name)
    to.command("fmt", "--check", of.place)
    for kind in ("state", "script", "save", "questions", "scenario"):
        to.command("schema", of.place, kind)
    main = f"{of.place}/{of.main}"
    to.edit(main, re.sub(r"^  (?=\w)", "     ", of.texts[of.main].replace(" = ", "  =  "), flags=re.MULTILINE))
    for options in (("--check",), ("--format", "json", "--check"), ()):
        to.command("fmt", main, *options)


def mistakes(to: Transcript, of: Subject) -> None:
    """Copies of the rules with a mistake each."""
    main = of.texts[of.main]
    for number, (name, text) in enumerate(mistaken_texts(main, 3 if of.is_large else 10)):
        to.edit(f"{of.place}/{of.main}", text)
        to.enter(f"edit {of.main} {name}", {})
        to.command("check", of.place)
        if number % 8 == 0:
            to.command("check", of.place, "--format", "json")
            to.command("check", of.place, "--format", "human", "--fix", "--unsafe")
        if number % 6 == 1:
            to.command("check", of.place, "--diff")
    to.edit(f"{of.place}/{of.main}", main)
    for file in [*of.texts][1:3]:
        for name, text in mistaken_texts(of.texts[file], 1 if of.is_large else 3):
            to.edit(f"{of.place}/{file}", text)
            to.enter(f"edit {file} {name}", {})
            to.command("check", f"{of.place}/{file}" if file in of.overlays else of.place)
        to.edit(f"{of.place}/{file}", of.texts[file])


def commands_of_readme(to: Transcript, of: Subject) -> None:
    """What the README shows, without what takes long; tests have a section of their own."""
    for arguments in of.commands:
        if of.is_large and arguments[0] in {"odds", "simulate"}:
            continue
        if arguments[0] not in {"test", "play", "new", "cover", "mutate", "studio"}:
            seeded = arguments[0] != "run" or "--seed" in arguments
            to.command(*arguments, *(() if seeded else ("--seed", "1")))


def plays(to: Transcript, of: Subject) -> None:
    to.command("play", of.place, "--list")
    to.command("play", of.place, "--list", "--format", "json")
    for file in of.scenario_files[:3]:
        to.command("play", file, "--list")
    for number, case in enumerate(spread(of.cases, 2 if of.is_large else 5)):
        named = (case.path, case.name)
        to.command("run", *named, "--seed", "1")
        if number % 3 == 0:
            to.command("run", *named, "--trace", "full", "--board", "--seed", "1")
            to.command("run", *named, "--format", "json", "--seed", "1")
            to.command(
                "run", *named, *SHORT, "--no-script", "--policy", "random", "--seed", "3", "--record", "made.yaml"
            )
        if number % 3 == 1:
            to.command("run", *named, *SHORT, "--no-script", "--policy", "first", "--seed", "2", "--format", "human")
            to.command("run", *named, "--seed", "1", "--trace", "none", "--view", "red", "--save", "made.save.json")
            to.command(
                "run", *named, "--seed", "1", "--max-steps", "20", "--with", "nobody=here", "--set", "nothing=yes"
            )
            to.command("run", *named, "--seed", "1", "--max-steps", "20")
        if number % 3 == 2:
            to.command("run", *named, "--no-script", "--seed", "1")


def tables(to: Transcript, of: Subject) -> None:
    """Plays with somebody who types, and with a program that asks."""
    for number, case in enumerate(spread(of.cases, 3)):
        named = (case.path, case.name)
        to.command("play", *named, "--seed", "1", typed="why\nlog\nstate\nboard\nscript made.yaml\nquit\n")
        to.command("play", *named, "--no-script", "--dice", "ask", "--seed", "1", typed=case.typed)
        if number == 1:
            to.command(
                "play", *named, "--no-script", "--as", "red", "--seed", "1", typed=f"save made.save.json\n{case.typed}"
            )
        if number == 2:
            to.command(
                "play", *named, "--no-script", "--seed", "1", typed="save made.save.json\nquit\n", keeps_files=True
            )
            to.command("play", "--load", "made.save.json", typed=case.typed)
            to.command("why", "made.save.json")
        if number == 0:
            asked: list[dict[str, Any]] = [
                {"do": "see"},
                {"do": "answer", "typed": "1"},
                {"do": "answer", "typed": "yes"},
                {"do": "why", "typed": ""},
                {"do": "undo"},
                {"do": "fork", "line": 0},
                {"do": "see", "seat": "red", "look": True},
                {"do": "dance"},
                {"do": "see", "line": 7},
                {"do": "record", "file": "made.scenario.yaml"},
            ]
            typed = "".join(f"{json.dumps(each)}\n" for each in asked)
            to.command("play", *named, "--no-script", "--seed", "1", "--format", "json", typed=typed)


def reasons(to: Transcript, of: Subject) -> None:
    played = [each for each in of.cases if "odds" not in (each.data.get("expect") or {})]
    for number, case in enumerate(spread(played, 2)):
        named, asks = (case.path, case.name), [part for each in case.expressions for part in ("--of", each)]
        to.command("why", *named, "--most", "30", *SHORT, *asks)
        if number == 0:
            for form in ("human", "json"):
                to.command("why", *named, "--most", "30", *SHORT, *asks, "--format", form)
            to.command("why", *named, "--most", "30", *SHORT, "--of", "nothing.like_it")
            to.command("why", *named, "--most", "30", *SHORT, *asks[:2], "--not", "3", "--view", "red")
        for step in ((case.data.get("expect") or {}).get("path") or ["1"])[:1]:
            to.command("why", *named, "--most", "30", *SHORT, "--of", f"{case.data.get('procedure')}/{step}")


def likelihoods(to: Transcript, of: Subject) -> None:
    for number, case in enumerate(spread(of.cases, 1 if of.is_large else 2)):
        named, asks = (case.path, case.name), [part for each in case.expressions[:1] for part in ("--of", each)]
        free = (*named, "--no-script", "--policy", "random", *asks)
        to.command("odds", *free, *FEW, "--workers", "1")
        to.command("odds", *named, *asks, *FEW, "--as", "odds", "--format", "json")
        to.command("simulate", *free, *SHORT, "--runs", "15", "--seed", "1", "--workers", "1")
        if number == 0 and not of.is_large:
            for form in ("csv", "json"):
                to.command("odds", *free, *FEW, "--format", form, "--show", "at-least")
                to.command("simulate", *free, *SHORT, "--runs", "10", "--seed", "1", "--workers", "1", "--format", form)
            to.command("odds", *free, *FEW, "--estimate")
            to.command("odds", *free, *FEW, "--picture", "made.html", "--record", "made.scenario.yaml")
            to.command(
                "simulate", *free, *SHORT, "--runs", "10", "--seed", "1", "--workers", "1", "--picture", "made.json"
            )
            again = (
                "--runs",
                "20",
                "--seed",
                "1",
                "--workers",
                "1",
                "--against",
                case.path,
                "--against-policy",
                "first",
            )
            to.command("simulate", *free, *SHORT, *again)
            to.command("odds", *named, "--no-script", *FEW, "--best", f"red: {asks[1]}", "--advise")
            to.command("odds", *named, "--vary", "nothing.like_it=1..2", *FEW)
            to.command("odds", *named, "--no-script", *FEW)


def tests(to: Transcript, of: Subject) -> None:
    files = of.scenario_files[:1]
    to.command("test", *files, "--workers", "1")
    for form in ("human", "json"):
        to.command("test", files[0], "--workers", "1", "--format", form)
    to.command("test", files[0], "--workers", "1", "--junit", "made.xml")
    to.command("test", files[0], "--workers", "1", "--step", f"{of.declared('procedure')[0]}/1")
    to.command("test", files[0], "--workers", "1", "--clause", (of.clauses or ["1.a"])[0])
    to.command("test", files[0], "--workers", "1", "-k", "no such name")
    to.command("cover", files[0])
    if of.is_large:
        return
    to.command("cover", files[0], "--format", "json", "--floor", "all=100")
    to.command("cover", files[0], "--html", "made.html", "--format", "human")
    to.command("cover", files[0], "--who", f"{of.declared('procedure')[0]}/1")
    changes = ("--sample", "2", "--seed", "1", "--workers", "1")
    to.command("mutate", files[0], "--list", "--sample", "12", "--seed", "2")
    for form in () if of.is_large else ("human", "plain"):
        to.command("mutate", files[0], *changes, "--format", form)
    name = Path(files[0]).name
    content = (of.source / name).read_text(encoding="utf-8")
    for slip, text in corrupt_text(content, of.name, 3 if of.is_large else 6):
        to.edit(files[0], text)
        to.enter(f"edit {name} {slip}", {})
        to.command("test", files[0], "--workers", "1")
    wrong = _with_other_expectations(content)
    to.edit(files[0], wrong)
    for form in ("plain", "json"):
        to.command("test", files[0], "--workers", "1", "--format", form)
    to.command("test", files[0], "--workers", "1", "--accept", "--yes")


def _with_other_expectations(content: str) -> str:
    """Scenarios that expect what does not come: each number of an expectation is one more."""
    data = yaml.safe_load(content)
    for each in data["scenarios"].values():
        if isinstance(each, dict) and "expect" in each:
            each["expect"] = _one_more(each["expect"])
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def _one_more(data: Any) -> Any:
    match data:
        case bool():
            return not data
        case int():
            return data + 1
        case dict():
            return {key: _one_more(each) for key, each in data.items()}
        case list():
            return [_one_more(each) for each in data]
        case _:
            return data


def comparisons(to: Transcript, of: Subject) -> None:
    small = ("--work", WORK, "--workers", "1", "--seed", "1")
    to.command("diff", of.place, of.place)
    for overlay in of.overlays[:1]:
        to.command("diff", of.place, of.place, "--new-overlay", f"{of.place}/{overlay}", *small)
    of_copy = Subject(_EDITED, of.name)
    for file in of.source.iterdir():
        if file.is_file():
            to.edit(f"{of_copy.place}/{file.name}", file.read_text(encoding="utf-8"))
    for number, (name, text) in enumerate(changed_texts(of.texts[of.main], 1 if of.is_large else 2)):
        to.edit(f"{of_copy.place}/{of.main}", text)
        to.enter(f"edit {of.main} {name}", {})
        pair = ("diff", of.place, of_copy.place, *small)
        to.command(*pair)
        if of.is_large:
            to.command(*pair, "--format", "json")
        elif number == 0:
            for form in ("json", "markdown"):
                to.command(*pair, "--format", form)
            for option in ("--scenarios", "--all"):
                to.command(*pair, option)
            to.command(*pair, "--show", "1", "--html", "made.html", "--log", "made.md", "--write-scenario", "made.yaml")
            to.command(*pair, "--odds", "--most", "40")
            to.command(*pair, "--games", of.scenario_files[0])
            to.command("draw", of_copy.place, of.declared("procedure")[0], "--against", of.place)
            to.command("find", of.place, of.declared()[0])
            GitRepository(to.folder).commit()
            to.edit(f"{of.place}/{of.main}", text)
            to.command("diff", "--git", "HEAD", of.place, *small)
            to.edit(f"{of.place}/{of.main}", of.texts[of.main])


def look_ups(to: Transcript, of: Subject) -> None:
    names = [
        *spread(of.declared(), 5),
        *spread(of.attributes, 2),
        *spread(of.clauses, 2),
        f"{of.declared('procedure')[0]}/1",
    ]
    for number, name in enumerate(names):
        to.command("find", of.place, name)
        if number == 0:
            to.command("find", of.place, name, "--format", "json")
            to.command("find", of.place, name, "--format", "human")
    to.command("find", of.place, "no_such_name")
    to.command("find", of.place, f"{of.place}/{of.main}:5:3")
    for number, name in enumerate(spread(of.declared(), 2)):
        to.command("rename", of.place, name, f"{name}_renamed", "--no-test")
        if number == 0:
            to.command("rename", of.place, name, f"{name}_renamed", "--no-test", "--format", "json")
            to.command("rename", of.place, name, f"{name}_renamed", "--no-test", "--write")
            to.command("rename", of.place, name, "if", "--no-test")
            to.command("rename", of.place, name, of.declared()[-1], "--no-test")
    for form in (*FORMS, "markdown"):
        to.command("trace", of.place, "--format", form)
    for clause in spread(of.clauses, 2):
        to.command("trace", of.place, "--clause", clause)
    for overlay in of.overlays[:1]:
        to.command("trace", of.place, "--overlay", f"{of.place}/{overlay}")


def chapters(to: Transcript, of: Subject) -> None:
    to.command("read", of.place)
    to.command("read", of.place, "--sheet")
    to.command("read", of.place, "--html", "made.html")
    to.command("read", of.place, "--sheet", "--html", "made.html")
    to.command("read", of.place, "--html", "made.html", "--places")
    to.command("read", of.place, "--write", "made.md", keeps_files=True)
    to.command("read", of.place, "--check", "made.md")
    to.edit("made.md", "an old chapter\n")
    to.command("read", of.place, "--check", "made.md")
    for overlay in of.overlays[:2]:
        to.command("read", of.place, "--overlay", f"{of.place}/{overlay}", "--mark")
        to.command("read", of.place, "--overlay", f"{of.place}/{overlay}", "--sheet")


def charts(to: Transcript, of: Subject) -> None:
    for number, name in enumerate(spread(of.declared("procedure"), 3)):
        for form in ("mermaid", "dot", "svg"):
            to.command("draw", of.place, name, "--as", form)
        if number == 0:
            to.command("draw", of.place, name, "--places")
            to.command("draw", of.place, name, "--cover", of.scenario_files[0])
            to.command("draw", of.place, name, "--as", "mermaid", "--cover", of.scenario_files[0])
    to.command("draw", of.place, "no_such_procedure")
    for case in spread(of.cases, 2):
        to.command("draw", case.path, case.name, "--as", "text")
        to.command("draw", case.path, case.name)
        to.command("draw", case.path, case.name, "--end", "--as", "text")


def python_calls(to: Transcript, of: Subject) -> None:
    """What the Python interface answers."""
    ruleset = api.load(of.place)
    to.enter("api.check", {"": "\n".join(f"{each.code} {each.message}" for each in api.check(of.place)) or "nothing"})
    for case in spread(of.cases, 8):
        data = case.data
        state = data.get("state") or {}
        if isinstance(state, str):
            suite = to.folder / case.path
            named = (yaml.safe_load(suite.read_text(encoding="utf-8")).get("states") or {}).get(state)
            state = named or yaml.safe_load(suite.parent.joinpath(state).read_text(encoding="utf-8"))
        title = f"api.start {data.get('procedure')} of {case.path} {case.name}"
        try:
            play = api.start(
                ruleset, str(data.get("procedure")), state, data.get("with"), settings=data.get("set"), seed=4
            )
        except api.WrongInputError as wrong:
            to.enter(title, {"": str(wrong)})
            continue
        told = [repr(play)]
        for answer in (data.get("script") or {"": "nothing"}) if isinstance(data.get("script"), list) else ():
            if play.request is None:
                break
            told.append(json.dumps(play.request_schema, ensure_ascii=False)[:400])
            with suppress(api.TooManyOutcomesError):
                chances = play.chances
                told.append(f"{len(chances)} chances, {sum((each.weight for each in chances), Fraction())} together")
                told += [f"{each.answer} {each.weight}" for each in chances[:4]]
            try:
                play = play.answered(answer)
            except api.WrongInputError as wrong:
                told.append(f"{answer!r}: {wrong}")
                break
            told.append(repr(play))
        told += [f"result {play.result!r}", f"answers {[*play.answers()]}", f"{len(play.entries)} entries"]
        told += [repr(play.seen_by(None)), json.dumps(play.state, ensure_ascii=False)]
        to.enter(title, {"": "\n".join(told)})


def editor_requests(to: Transcript, of: Subject) -> None:
    """What the language server answers."""
    for name in [of.main]:
        content = of.texts[name]
        with opened_editor(to.folder) as editor:
            uri = (to.folder / of.place / name).as_uri()
            document = {"uri": uri, "languageId": "rulewright", "version": 1, "text": content}
            editor.tell("textDocument/didOpen", textDocument=document)
            where = {"textDocument": {"uri": uri}}
            to.enter_data(f"lsp problems of {name}", editor.settled_problems(uri))
            for method in (
                "documentSymbol",
                "foldingRange",
                "codeLens",
                "inlayHint",
                "semanticTokens/full",
                "formatting",
            ):
                more = {"options": {"tabSize": 2, "insertSpaces": True}} if method == "formatting" else {}
                whole = {"start": {"line": 0, "character": 0}, "end": {"line": content.count("\n"), "character": 0}}
                more = {"range": whole} if method == "inlayHint" else more
                to.enter_data(f"lsp {method}", editor.ask(f"textDocument/{method}", **where, **more))
            words = list(re.finditer(r"(?<![#\"\w])[a-z_]{4,}(?!\w)", content))
            for number, word in enumerate(spread(words, 4)):
                line = content.count("\n", 0, word.start())
                column = word.start() + 1 - (content.rfind("\n", 0, word.start()) + 1)
                at = {**where, "position": {"line": line, "character": column}}
                title = f"{name}:{line + 1}:{column + 1} {word[0]}"
                for method in ("hover", "definition"):
                    to.enter_data(f"lsp {method} {title}", editor.ask(f"textDocument/{method}", **at))
                if number % 3 == 0:
                    among = {"context": {"includeDeclaration": True}}
                    to.enter_data(f"lsp references {title}", editor.ask("textDocument/references", **at, **among))
                    to.enter_data(f"lsp prepareRename {title}", editor.ask("textDocument/prepareRename", **at))
                    to.enter_data(f"lsp rename {title}", editor.ask("textDocument/rename", **at, newName="renamed_so"))
                    to.enter_data(f"lsp completion {title}", editor.ask("textDocument/completion", **at))
            (broken,) = [text for _, text in mistaken_texts(content, 3)][1:2]
            changed = {"uri": uri, "version": 2}
            editor.tell("textDocument/didChange", textDocument=changed, contentChanges=[{"text": broken}])
            problems = editor.settled_problems(uri)
            to.enter_data("lsp problems of a broken text", problems)
            for each in problems.get(uri, [])[:1]:
                context = {"diagnostics": [each]}
                asked = editor.ask("textDocument/codeAction", **where, range=each["range"], context=context)
                to.enter_data("lsp codeAction", asked)


def workbench_requests(to: Transcript, of: Subject) -> None:
    """What the workbench answers its page."""
    with TemporaryDirectory() as kept, open_browser(to.folder, Path(kept)) as client:

        def posted(route: str, /, **asked: Any) -> Any:
            answered = client.post(route, json=asked)
            to.enter_data(
                f"POST {route} {json.dumps(asked, ensure_ascii=False)[:300]}", _without_numbers(answered.json())
            )
            return answered.json()

        for path in ("/api/files", f"/api/file?path={of.place}/{of.main}", "/api/play", "/api/nothing"):
            to.enter_data(f"GET {path}", _without_numbers(client.get(path).json()))
        rules = f"{of.place}/{of.main}"
        posted("/api/rules/check", path=rules)
        posted("/api/rules/check", path=rules, texts={rules: f"{of.texts[of.main]}procedure\n"})
        posted("/api/rules/chapter", path=rules)
        posted("/api/rules/chart", path=rules, procedure=of.declared("procedure")[0])
        posted("/api/play/choices", path=rules)
        posted("/api/odds/choices", path=rules)
        posted("/api/scenarios/run", files=of.scenario_files[:1])
        case = spread(of.cases, 3)[1]
        begun = posted("/api/play/begin", path=case.path, name=case.name, dice="ask")
        if "id" in begun:
            for asked in ({"do": "see"}, {"do": "answer", "typed": "1"}, {"do": "undo"}, {"do": "why", "typed": ""}):
                answered = client.post("/api/play/ask", json={"id": begun["id"], **asked})
                to.enter_data(f"POST /api/play/ask {json.dumps(asked)}", _without_numbers(answered.json()))
        posted("/api/compare", path=rules, tab="one", work="0", **{"with": "shipped", "name": of.name})


def _without_numbers(data: Any) -> Any:
    """An answer without what is another number each time."""
    changing = {"id", "version", "token", "tab", "dated", "time", "seconds", "changed", "seed"}
    match data:
        case dict():
            return {key: "…" if key in changing else _without_numbers(each) for key, each in data.items()}
        case list():
            return [_without_numbers(each) for each in data]
        case _:
            return data


def stages(to: Transcript, of: Subject) -> None:
    """What each stage made of the rules, in the words of the code."""
    for stage in ("nodes", "program", "core", "graph", "source"):
        to.command("show", of.place, stage)


SECTIONS: Mapping[str, Section] = {
    "checks": checks,
    "mistakes": mistakes,
    "README": commands_of_readme,
    "plays": plays,
    "tables": tables,
    "reasons": reasons,
    "likelihoods": likelihoods,
    "tests": tests,
    "comparisons": comparisons,
    "look-ups": look_ups,
    "chapters": chapters,
    "charts": charts,
    "Python": python_calls,
    "editor": editor_requests,
    "workbench": workbench_requests,
    "stages": stages,
}
"""The sections of a subject."""


def usage(to: Transcript, _: Subject) -> None:
    """The command itself: what it says of its verbs, and of command lines that are wrong."""
    for arguments in ((), ("--help",), ("--version",), ("help",), ("chek",), ("check", "--fromat", "json"), ("run",)):
        to.command(*arguments)
    for verb in VERB_DESCRIPTIONS:
        to.command(verb, "--help")
        to.command(verb, "--no-such-option")
        if verb not in {"lsp", "studio", "test", "cover", "mutate"}:
            to.command(verb)
            to.command(verb, "no-such-place", "no-such-name")
    for arguments in (
        ("run", "pig", "turn", "--seed", "many"),
        ("odds", "pig", "turn", "--as", "words"),
        ("check", "pig", "--format", "xml"),
        ("simulate", "pig", "turn", "--runs", "0"),
        ("run", "pig", "turn", "--state", "missing.yaml"),
        ("test", "missing.scenario.yaml"),
        ("draw", "pig", "turn", "--as"),
    ):
        to.command(*arguments)


def messages(to: Transcript, _: Subject) -> None:
    listed = [to.command("explain", "--format", form) for form in FORMS]
    codes = sorted({*re.findall(r"\bRW\d{4}\b", listed[1])})
    for number, code in enumerate(spread(codes, 60)):
        to.command("explain", code)
        if number % 20 == 0:
            to.command("explain", code, "--format", "json")
    to.command("explain", "RW9999")


def new_rulesets(to: Transcript, _: Subject) -> None:
    for form in FORMS:
        to.command("new", "--list", "--format", form)
    for arguments in (
        ("skirmish", "--format", "json"),
        ("Bad Name",),
        ("skirmish", "--from", "nothing"),
        ("skirmish",),
    ):
        to.command("new", *arguments, keeps_files=arguments == ("skirmish",))
    for verb in ("check", "test", "cover", "read", "trace", "fmt"):
        to.command(verb, "skirmish")
    for each in all_subjects():
        to.command("new", f"my-{each.name}", "--from", each.name, "--format", "json", keeps_files=True)
        to.command("check", f"my-{each.name}")


def revisions(to: Transcript, _: Subject) -> None:
    small = ("--work", WORK, "--workers", "1", "--seed", "1")
    for form in (*FORMS, "markdown"):
        to.command("diff", "melee-phase-2025-10", "melee-phase", *small, "--format", form)
    to.command("diff", "melee-phase-2025-10", "melee-phase", *small, "--all", "--margins", "--readings")
    to.command("diff", "pig", "risk", *small)


GENERAL: Mapping[str, Section] = {
    "usage": usage,
    "messages": messages,
    "new": new_rulesets,
    "revisions": revisions,
}
"""The sections of what belongs to no subject."""
