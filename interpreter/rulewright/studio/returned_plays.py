"""Plays that came back from a shared page: read, played again under the rules of today, counted, made a scenario."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER, format_counted_noun, make_visible
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text, count_common_prefix
from rulewright.documents.answer_scripts import format_script, read_script
from rulewright.documents.answers import name_offered_dice
from rulewright.documents.name_table import NameTable
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.player_prompts import PlayerPrompt
from rulewright.play.player_views import advance_to_person
from rulewright.play.public_position import list_session_boards
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, begin_session
from rulewright.runtime.request import CHANCE_SORTS
from rulewright.runtime.run import Paused
from rulewright.studio.page_play import begin_with_asked_dice, render_plain_story, summarize_end
from rulewright.studio.play_service import RequestRefusedError

RETURNED_FORMAT = "rulewright playtest"
_RETURNED_VERSION = 1
_MAX_CHARS = 20_000_000
_MS_PER_MINUTE = 60_000
_MAX_COUNTED_OPTIONS = 12
"""Questions with more different answers, such as places, are not looked through for answers that nobody gave."""
_MAX_COUNTED_LINES = 5
_ANSWER_SOURCE = re.compile(r" \((policy|typed|script)\)$")
"""Who answered, at the end of a line of a story."""
_LISTS = ("done", "remarks", "noted")
_DONE_ACTIONS = frozenset({"answer", "throw", "undo"})


@dataclass(frozen=True, slots=True)
class ReturnedPlay:
    """A play as its file tells it."""

    file: str
    data: Mapping[str, Any]

    @property
    def scenario(self) -> str:
        return str(self.data["scenario"])

    @property
    def ruleset(self) -> str:
        return str(self.data.get("ruleset", ""))

    @property
    def fingerprint(self) -> str:
        return str(self.data["fingerprint"])

    @property
    def revision(self) -> str:
        return f"{self.data.get('revision', '')} ({self.fingerprint[:12]})"

    @property
    def end(self) -> Mapping[str, Any]:
        end = self.data.get("end")
        return end if isinstance(end, dict) else {}

    @property
    def remarks(self) -> Sequence[Mapping[str, Any]]:
        return [remark for remark in self.data["remarks"] if isinstance(remark, dict)]

    @property
    def answer_count(self) -> int:
        return self.count_answers(len(self.data["done"]))

    def count_answers(self, after: int) -> int:
        """Answers that stand after so many requests, without those that were taken back."""
        done: list[Any] = self.data["done"][: max(0, after)]
        requests = [entry.get("request") for entry in done if isinstance(entry, dict)]
        undone = [isinstance(request, dict) and request.get("do") == "undo" for request in requests].count(True)
        return max(0, len(requests) - 2 * undone)

    @property
    def seed(self) -> int:
        seed = self.data.get("seed")
        return seed if isinstance(seed, int) and seed >= 0 else 0

    @property
    def minutes(self) -> float:
        began, changed = self.data.get("began"), self.data.get("changed")
        known = isinstance(began, int | float) and isinstance(changed, int | float)
        return max(0.0, (changed - began) / _MS_PER_MINUTE) if known else 0.0  # type: ignore[operator]

    def list_notes(self, sort: str) -> list[str]:
        """What was pressed so, `why` or `back`, in the words of its moment."""
        notes = (note for note in self.data["noted"] if isinstance(note, dict))
        return [str(note.get("about", "")) for note in notes if note.get("sort") == sort]


@dataclass(frozen=True, slots=True)
class Replay:
    """A play that came back, played again under the rules of today."""

    play: ReturnedPlay
    session: Session | None  # None: it cannot begin any more
    problem: str = ""  # why not
    differences: tuple[str, ...] = ()  # in words; empty where it ends as it did


def parse_returned_play(text: Text) -> ReturnedPlay | None:
    """The play of a file; None where it holds none."""
    try:
        data = json.loads(text.content) if len(text.content) <= _MAX_CHARS else None
    except (ValueError, RecursionError):
        data = None
    return ReturnedPlay(text.name, data) if isinstance(data, dict) and _is_returned(data) else None


def _is_returned(data: Mapping[str, Any]) -> bool:
    return (
        data.get("format") == RETURNED_FORMAT
        and data.get("version") == _RETURNED_VERSION
        and all(isinstance(data.get(name), str) for name in ("scenario", "fingerprint"))
        and all(isinstance(data.get(name), list) for name in _LISTS)
    )


def replay_returned_play(play: ReturnedPlay, begun: PlayStart) -> Replay:
    """The same answers under the rules of today, as far as they lead."""
    start = begun.with_withheld_questions()
    script = play.end.get("script")
    entries = [
        (str(entry.get("at", "")), str(entry.get("by", "")), entry.get("answer"))
        for entry in (script if isinstance(script, list) else ())
        if isinstance(entry, dict)
    ]
    read_result = read_script(Text(play.file, format_script(entries)), start.executable.program)
    if read_result.value is None:
        first = read_result.diagnostics[0]
        return Replay(play, None, f"its answers no longer fit the rules: {first.message}")
    chance = SeededRandom(play.seed)
    sources = AnswerSourceChain(start.names, chance, read_result.value, has_seeded_dice=False)
    session, diagnostics = advance_to_person(begin_session(start, sources))
    differences = [one.message for one in diagnostics]
    if isinstance(session.outcome, Paused) and play.end.get("outcome") != "open" and not differences:
        question = _prompt_plainly(session.outcome, start.names)
        differences.append(f"it is now asked, and was not then: {question.question_text}")
    differences += _compare_ends(play.end, summarize_end(session))
    return Replay(play, session, differences=tuple(differences))


def _prompt_plainly(paused: Paused, names: NameTable) -> PlayerPrompt:
    return PlayerPrompt(paused, name_offered_dice(paused.request, names), PLAIN_PAINTER, commands=())


def _compare_ends(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What differs in how a play ended, in the lines of its story where these show it."""
    if then.get("outcome") == now["outcome"] and then.get("state") == now["state"]:
        return
    if then.get("outcome") != now["outcome"]:
        yield f"then it was {_show_outcome(then.get('outcome'))}, now it is {_show_outcome(now['outcome'])}"
    lines = [[_ANSWER_SOURCE.sub("", line) for line in story] for story in (_list_story_lines(then), now["story"])]
    first = count_common_prefix(*lines)
    for word, story in zip(("then: ", "now:  "), lines, strict=True):
        yield f"{word}{story[first].strip() if first < len(story) else 'no more'}"


def _list_story_lines(end: Mapping[str, Any]) -> list[str]:
    story = end.get("story")
    return [str(line) for line in story] if isinstance(story, list) else []


def _show_outcome(outcome: Any) -> str:
    words = {"ended": "over", "open": "not over", "refused": "refused"}
    return words.get(str(outcome), f"stopped by {outcome}")


# Its scenario.


def render_scenario_comments(replay: Replay) -> str:
    """What stands above the scenario of a play: whose it is, what differs today, and its remarks."""
    return "".join(f"{f'# {make_visible(line)}'.rstrip()}\n" for line in _comment_lines(replay))


def _comment_lines(replay: Replay) -> Iterator[str]:
    play = replay.play
    seats = _show_seats(play)
    yield f"A play of {play.scenario!r} that came back{f', {seats}' if seats else ''}, of revision {play.revision}."
    yield from (f"Differs today: {line}" for line in replay.differences)
    for remark in play.remarks:
        first, *others = str(remark.get("text", "")).splitlines() or [""]
        yield f"{_show_remark_head(remark, play.count_answers(_get_moment(remark)))}: {first}"
        yield from (f"  {line}" for line in others)


def _show_remark_head(remark: Mapping[str, Any], answers: int) -> str:
    place_text = f", at {remark['asked']!r}" if remark.get("asked") else ""
    who = str(remark.get("who") or "all")
    return f"remark of {who}, {str(remark.get('kind', '')).lower()}, after {format_counted_noun(answers, 'answer')}{place_text}"


def _show_seats(play: ReturnedPlay) -> str:
    names = play.data.get("names")
    return ", ".join(f"{seat} {name}" for seat, name in names.items()) if isinstance(names, dict) else ""


# Its story, with the remarks at their moments.


def scene_to_json(replay: Replay) -> dict[str, Any]:
    """The story of a play as it was told and as it goes today, its boards today, and where its remarks stand.

    `remarks_at` counts the lines of the story before each remark: of the story of today, of the old one where it cannot
    be played any more.
    """
    then, session = _list_story_lines(replay.play.end), replay.session
    return {
        "then": then,
        "now": [] if session is None else render_plain_story(session),
        "remarks_at": [*_find_remark_lines(replay)],
        "boards": [] if session is None else list_session_boards(session),
    }


def _find_remark_lines(replay: Replay) -> Iterator[int]:
    session = replay.session
    if session is None:
        yield from (len(_list_story_lines(replay.play.end)) for _ in replay.play.remarks)
        return
    counts = _count_turns_after_requests(replay.play, session)
    for remark in replay.play.remarks:
        after = _get_moment(remark)
        turns = counts[after] if 0 <= after < len(counts) else len(session.turns)
        yield len(render_plain_story(session.rewind_to(turns) if turns < len(session.turns) else session))


def _count_turns_after_requests(play: ReturnedPlay, session: Session) -> list[int]:
    """How many answers stood after each request, as far as they can be done again, without what was taken back later."""
    service = begin_with_asked_dice(session.start, play.seed)
    counts = [len(service.lines[0].session.turns)]
    for entry in play.data["done"]:
        request = entry.get("request") if isinstance(entry, dict) else None
        if not isinstance(request, dict) or request.get("do") not in _DONE_ACTIONS:
            break
        try:
            service.apply_request({"do": request["do"], "typed": request.get("typed")})
        except RequestRefusedError:
            break
        counts.append(len(service.lines[0].session.turns))
    for index in reversed(range(len(counts) - 1)):
        counts[index] = min(counts[index], counts[index + 1])
    return counts


def _get_moment(remark: Mapping[str, Any]) -> int:
    """How many requests were done before a remark."""
    after = remark.get("after")
    return after if isinstance(after, int) else 0


# What they say together.


def report_to_json(
    replays: Sequence[Replay],
    fingerprint: str,
    unreadable: Mapping[str, str] | None = None,
    *,
    with_scenes: bool = False,
) -> dict[str, Any]:
    """All plays, and what they say together by the revision that they were played under.

    `unreadable` has the files that hold no play, each with why.
    """
    groups: dict[str, list[Replay]] = {}
    for replay in replays:
        groups.setdefault(replay.play.fingerprint, []).append(replay)
    return {
        "version": 1,
        "plays": [
            {**_play_to_json(replay), **({"scene": scene_to_json(replay)} if with_scenes else {})} for replay in replays
        ],
        "unreadable": [{"file": file, "problem": problem} for file, problem in (unreadable or {}).items()],
        "revisions": [_group_to_json(group, fingerprint) for group in groups.values()],
    }


def _play_to_json(replay: Replay) -> dict[str, Any]:
    play = replay.play
    return {
        "file": play.file,
        "scenario": play.scenario,
        "seats": _show_seats(play),
        "revision": play.revision,
        "answers": play.answer_count,
        "minutes": round(play.minutes, 1),
        "outcome": str(play.end.get("outcome", "open")),
        "problem": replay.problem,
        "differences": list(replay.differences),
        "remarks": [
            {
                "who": str(remark.get("who", "")),
                "kind": str(remark.get("kind", "")),
                "text": str(remark.get("text", "")),
                "after": play.count_answers(_get_moment(remark)),
                "asked": str(remark.get("asked", "")),
                "address": str(remark.get("address", "")),
            }
            for remark in play.remarks
        ],
    }


def _group_to_json(group: Sequence[Replay], fingerprint: str) -> dict[str, Any]:
    plays = [replay.play for replay in group]
    counts = sorted(play.answer_count for play in plays)
    return {
        "revision": plays[0].revision,
        "is_current": plays[0].fingerprint == fingerprint,
        "plays": len(plays),
        "over": sum(play.end.get("outcome") == "ended" for play in plays),
        "answers": {"least": counts[0], "median": median(counts), "most": counts[-1]},
        "minutes": round(median(play.minutes for play in plays), 1),
        "results": _count(_list_results(group)),
        "never_chosen": [*_find_unchosen(group)],
        "taken_back": _count(note for play in plays for note in play.list_notes("back")),
        "asked_why": _count(note for play in plays for note in play.list_notes("why")),
    }


def _list_results(group: Sequence[Replay]) -> Iterator[str]:
    """How each play ended that is over or was stopped: its result, or what happened last."""
    for replay in group:
        outcome, result = replay.play.end.get("outcome"), replay.play.end.get("result")
        if outcome != "ended":
            yield from [] if outcome in {"open", None} else [_show_outcome(outcome)]
        elif isinstance(result, str) and result:
            yield result
        elif (happened := _find_last_event(_list_story_lines(replay.play.end))) is not None:
            yield happened


def _find_last_event(story: Sequence[str]) -> str | None:
    """The last line of a story, unless that is a question; lists of what could not be answered are passed over."""
    for number in reversed(range(len(story))):
        indent = len(story[number]) - len(story[number].lstrip())
        outer = next((line for line in reversed(story[:number]) if len(line) - len(line.lstrip()) < indent), "")
        if not outer.endswith(":"):
            return None if "?" in story[number] else story[number].strip()
    return None


def _count(items: Iterable[str]) -> list[dict[str, Any]]:
    return [{"what": what, "times": times} for what, times in Counter(items).most_common(_MAX_COUNTED_LINES)]


def _find_unchosen(group: Sequence[Replay]) -> Iterator[dict[str, Any]]:
    """Answers that were offered and that nobody gave, by question."""
    offered: dict[str, Counter[str]] = {}
    chosen: dict[str, set[str]] = {}
    questions_by_place: dict[str, str] = {}
    for replay in group:
        if replay.session is None:
            continue
        for turn in replay.session.turns:
            if turn.request.sort in CHANCE_SORTS:
                continue
            prompt = _prompt_plainly(turn.paused, replay.session.start.names)
            at = turn.request.address
            questions_by_place.setdefault(at, prompt.question_text)
            for option in prompt.list_options():
                if option.refusal is None:
                    offered.setdefault(at, Counter())[option.label] += 1
                    if option.value == turn.answer.value:
                        chosen.setdefault(at, set()).add(option.label)
    for at, labels in offered.items():
        if len(labels) <= _MAX_COUNTED_OPTIONS and at in chosen:
            for label, times in labels.items():
                if label not in chosen[at]:
                    yield {"question": questions_by_place[at], "answer": label, "times": times}


def report_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report as text."""
    for file in report["unreadable"]:
        yield make_visible(f"{file['file']}: {file['problem']}")
    for play in report["plays"]:
        seats = f" ({play['seats']})" if play["seats"] else ""
        length = f"{format_counted_noun(play['answers'], 'answer')}, {play['minutes']} minutes"
        verdict = play["problem"] or ("now ends differently" if play["differences"] else "ends as it did")
        yield make_visible(f"{play['file']}: {play['scenario']}{seats}, {length}: {verdict}")
        yield from (make_visible(f"    {line}") for line in play["differences"])
        for remark in play["remarks"]:
            text = " ".join(remark["text"].split())
            yield make_visible(f"  {_show_remark_head(remark, remark['after'])}: {text}")
    for group in report["revisions"]:
        yield from _group_lines(group)


def _group_lines(group: Mapping[str, Any]) -> Iterator[str]:
    answers, now = group["answers"], ", which is that of today" if group["is_current"] else ""
    yield ""
    yield make_visible(
        f"of revision {group['revision']}{now}: {format_counted_noun(group['plays'], 'play')}, {group['over']} over, "
        f"{answers['least']} to {answers['most']} answers, {group['minutes']} minutes in the middle"
    )
    for title, name in (("ended", "results"), ("taken back", "taken_back"), ("asked why", "asked_why")):
        for item in group[name]:
            yield make_visible(f"  {title} {format_counted_noun(item['times'], 'time')}: {item['what']}")
    for item in group["never_chosen"]:
        times = format_counted_noun(item["times"], "time")
        yield make_visible(f"  never chosen, offered {times}: {item['answer']}, at `{item['question']}`")
