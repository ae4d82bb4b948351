"""Small rulesets that together use all of the core, played by machine and judge, and by both ways of the machine."""

from itertools import islice
from random import Random
from typing import Any

import pytest

from rulewright.program.declarations import Program
from rulewright.runtime.executable import compile_program
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Outcome, Paused, Run, start_run
from rulewright.runtime.state import Situation
from support.judge_comparison import compare_with_judge, draw_value
from support.reference.ruleset_texts import load_program, read_situation
from support.sample_sizes import choose_count

UNITS = """\
ruleset example "Example" revision "1"
kind Unit, units:
  owner: player
  at: hex
  facing: direction
  health: 0..9 = 3
  morale: 0..9 = 2
  tags: set of Tag = {}
  leader: Unit? = none
values Tag: brave, weary, lost
board field of hex:
  woods: flag = no
  height: 0..5 = 0
game:
  active: player
  turn: 1..20 = 1
  pool_left: list of 1..6 = []
relation foe(a: Unit, b: Unit) symmetric "foes"
"""

STATE = """\
players: [red, blue, green]
units:
  a: {owner: red, at: [0, 0], facing: 0, leader: b}
  b: {owner: blue, at: [1, 0], facing: 3, health: 2}
  c: {owner: red, at: [0, 1], facing: 2, tags: [brave]}
  d: {owner: green, at: [-1, 0], facing: 4, health: 1, tags: [weary, lost]}
field:
  shape: {radius: 3}
  cells: {"2,-1": {woods: true}}
game: {active: red}
foe: [[a, b]]
removed: [d]
"""

DICE = """\
procedure throw(u: Unit) gives 0..99 "Throw":
  roll 3d6 as one by u.owner
  roll 4d6 drop lowest 1 as two by u.owner
  roll 2d6 keep highest 1 explode on 6 at most 3 as three by u.owner
  roll [1 of d20, 3 of d6 drop lowest 1] as four
  ask u.owner to pick 0..2 of each d in one where d.rerolls = 0 as again "again?"
  reroll again by u.owner
  reroll one
  roll [u: u.morale of d6] as five
  let x = total(one) + total(two) + count(each d in one where d.natural >= 3)
  let y = max(each d in four: d.natural)
  finish with min(99, x + y)
"""

LOOPS = """\
procedure go() "Go":
  for each u in units where u.health > 0:
    take up to 1 from u.health
    if u.health = 0:
      remove u
  for each u in {each x in removed(units)} + units:
    add up to 1 to u.morale
  let left: 0..3 = 3
  repeat while left > 0 at most 5:
    ask active whether more "more?":
      take up to 1 from left
    else:
      stop
  for each u in units:
    ask u.owner for t in units where t != u "who?":
      add up to 1 to t.morale
      if t.morale >= 4:
        remove t
"""

RULES = """\
whenever weaken for each u in units "weak":
  when u.health = 0
  priority 2
  lowers count(units)
  remove u
whenever tired for each u in units "tired":
  when u.morale = 0 and not (weary in u.tags)
  priority 1
  lowers count(each u in units where weary not in u.tags)
  add weary to u.tags
  ask u.owner whether rest "rest?":
    add up to 1 to u.morale
always few: count(units) <= 4
procedure go() "Go":
  for each u in units:
    take up to 2 from u.morale
    take up to 1 from u.health
  together:
    for each u in units:
      take up to 2 from u.health
  add up to 3 to turn
"""

WINDOWS = """\
event struck(u: Unit, n: 0..9) gives 0..9 "Struck":
  holders units
  order by [u.owner]
event gone_now(x: Unit) on removal "gone":
  holders units
  order by [x.owner]
handler parry for each h in units on struck when h.health > 1 optional "Parry?":
  take up to 1 from h.morale
  finish with 1
handler shout for each h in units on struck when h.owner = u.owner "Shout":
  add up to 1 to h.morale
  if h.morale > 4:
    finish with 2
handler mourn for each h in units on gone_now when h.owner = x.owner "Mourn":
  take up to 1 from h.health
  if h.health = 0:
    remove h
procedure go(t: Unit) "Go":
  trigger struck(t, 2) as gains
  let total_gain = sum(gains)
  take up to total_gain from t.health
  together:
    if t.health <= 1:
      remove t
    add up to 1 to turn
  for each u in units:
    trigger struck(u, 1) as more
"""

JUMPS = """\
procedure go(n: 0..9) gives 0..9 "Go":
  let k: 0..9 = 0
  step 1 "one":
    add up to 1 to k
    ask active whether onward "go on?":
      proceed to 3
  step 2 "two" when k < 4:
    for each u in units:
      if u.health > 2:
        proceed to 1 at most 2
  step 3 "three":
    perform inner(k) steps a to b
    if turn > 3:
      perform inner(k)
    finish with k
procedure inner(n: 0..9) "Inner":
  let z = n
  ask active whether late "late?":
    proceed to c
  add up to 1 to turn
  step a "A":
    add up to n to turn
    ask active whether skip "skip?":
      proceed to c
  step b "B":
    add up to 1 to turn
  step c "C":
    finish go with 7
procedure outer() gives 0..9 "Outer":
  perform go(2) as r
  finish with r
"""

PICKS = """\
procedure go(u: Unit) "Go":
  ask u.owner to pick 1..2 of each x in units where x.health > 0 as chosen "which?":
    require two: count(chosen) = 2 or a_in(chosen)
    for each x in chosen:
      take up to 1 from x.health
  ask u.owner to split 3 over units as shares "shares?":
    require most: every x in units: shares[x] <= 2 "at most two"
    for each x in shares:
      add up to shares[x] to x.morale
  ask u.owner to order units as turns "order?":
    prefer first: turns[1] = u
    for each x in turns:
      add up to position(x, turns) to x.health
  ask u.owner to choose way "which way?":
    option one when u.health > 3 "first":
      set u.morale to 1
    option two "second":
      set u.morale to 2
      ask u.owner to turn u as heading "where?":
        require on: step(u.at, heading) in field
        prefer open: no x in units where x.at = step(u.at, heading)
        turn u to heading
      else:
        nothing
    option three when u.morale > 5 "third"
term a_in(s: set of Unit) when any:
  some_owner: some x in s where x.owner = active
  none_low: no x in s where x.health < 2
"""

NEEDS = """\
procedure go(u: Unit, v: Unit) "Go":
  require alive: not u.gone "must live"
  let n = 2
  require strong: u.health >= n when v.health > 0 "must be strong"
  perform inner(v)
procedure inner(v: Unit) "Inner":
  require weak: v.health < 3 "must be weak"
  let lead = v.leader
  if lead != none:
    take 1 from lead.health
    else:
      add up to 1 to lead.morale
  set v.tags to v.tags + {brave} - {weary}
  match v.health:
    on 0, 1:
      set turn to 5
    on 2:
      set turn to 6
    on 3, 4, 5, 6, 7, 8, 9:
      nothing
"""

DEEP = """\
procedure chain(u: Unit, n: 0..9) gives 0..99 "Chain":
  if n = 0:
    finish with 0
  ask u.owner whether again "again?":
    perform chain(u, max(0, n - 1)) at most 3 deep as r
    finish with min(99, r + n)
  finish with n
procedure go(u: Unit) "Go":
  perform chain(u, 5) as r
  set turn to max(1, min(20, r))
"""

WAITING_WATCHES = """\
external term reach(n: 0..9) gives 0..9
event seen(n: 0..9) "Something is seen"
event lost(u: Unit) on removal "A unit is lost":
  holders units
handler mourn for each h in units on lost when reach(h.health) > 2 "Mourn":
  take up to 1 from h.morale
procedure go(u: Unit) gives 0..99 "Go":
  let heard: 0..99 = 0
  watch seen:
    add up to 1 to heard
  watch lost when reach(heard) > 1:
    add up to 10 to heard
  step 1 "See":
    perform below(u) as more
    finish with min(99, heard + more)
inner procedure below(t: Unit) gives 0..99 "Below":
  let heard: 0..99 = 0
  watch seen when reach(n) > 3:
    add up to 2 to heard
  watch lost when u != t:
    add up to 1 to heard
  trigger seen(3)
  for each x in units where x.health > 1:
    remove x
  trigger seen(4)
  finish with heard
"""

REMOVALS_HEARD = """\
external term reach(n: 0..9) gives 0..9
event lost(u: Unit) on removal "A unit is lost"
event noted(u: Unit) on removal "A loss is noted":
  holders units
  order by [each p in players]
handler mourn for each h in units on noted optional "Mourn":
  take up to 1 from h.morale
procedure go(u: Unit) gives 0..99 "Go":
  let heard: 0..99 = 0
  watch lost:
    add up to 5 to heard
    add up to reach(min(9, heard)) to heard
  together:
    add up to 1 to turn
    for each x in units where x != u:
      remove x
    add up to 1 to turn
  remove u
  finish with heard
"""

ASKING, _, REST = REMOVALS_HEARD.partition("event noted")
REMOVALS_HEARD_ALONE = ASKING + REST[REST.index("procedure go") :]
REMOVALS_HEARD_BESIDE = REMOVALS_HEARD.replace("    add up to reach(min(9, heard)) to heard\n", "")

EXTERNALS = """\
external procedure injure(u: Unit, n: 0..9) gives (hurt: 0..9, down: flag) changes Unit.health, game.turn "Injure"
external procedure bare(u: Unit) gives flag "Bare"
external procedure quiet(u: Unit) changes Unit.morale "Quiet"
external term reach(u: Unit) gives 0..9
external term far(u: Unit) gives 0..9 default u.health + 1
whenever drop for each u in units "drop":
  when u.health = 0 and reach(u) > 2
  priority 1
  lowers count(units)
  remove u
procedure go(u: Unit) "Go":
  let near = reach(u) + far(u)
  perform injure(u, 2) as what
  if what.down and reach(u) > 3:
    perform bare(u) as b
    if b:
      set turn to max(1, min(20, near))
  perform quiet(u)
  for each x in units where reach(x) > 1:
    take up to 3 from x.health
  roll 3d6 keep highest min(2, reach(u)) as hit by u.owner
  add up to count(hit) to turn
  add up to 1 to turn
"""

HOLD = """\
whenever fall for each u in units "fall":
  when u.health = 0
  priority 1
  lowers count(units)
  remove u
event told(u: Unit, n: 0..9) "told"
procedure hit(u: Unit, n: 0..9) "Hit":
  take up to n from u.health
  trigger told(u, n)
procedure inner(u: Unit) "Inner":
  hold fall
  perform hit(u, 9)
  ask u.owner whether heal "heal?":
    add up to 1 to u.health
procedure go(x: Unit, y: Unit) gives 0..99 "Go":
  let count_hits: 0..99 = 0
  let who: set of Unit = {}
  watch told when n > 0:
    add up to n to count_hits
    add u to who
  perform inner(x)
  perform hit(y, 1)
  add (x, y) to foe
  take (y, x) from foe
  if foe(x, y):
    set turn to 9
  finish with count_hits
"""

TERMS = """\
term friends(u: Unit) gives set of Unit over each f in units when all "friends":
  own: f.owner = u.owner
  other: f != u
tally strength(u: Unit) from u.health "Strength":
  friend: +1 for each f in friends(u) when adjacent(f.at, u.at)
  woods: times 2 when u.at.woods
  brave: becomes 4 when brave in u.tags
  floor: at least 1
  roof: at most 8
decide mood(u: Unit) gives Tag "Mood":
  strong: brave when strength(u) > 3
  tired: weary when u.morale = 0
  rest: lost otherwise
table band(n: 0..9) gives 1..3 "Band":
  low: 0..2 | 1
  mid: 3..5 | 2
  top: at least 6 | 3
procedure go(u: Unit) gives 0..99 "Go":
  let m = mood(u)
  add m to u.tags
  tally score from 1 "Score":
    b: +band(strength(u))
    f: +1 for each x in units where x.health > 1 when x.morale > 1
  decide best "best":
    far: neighbours(u.at) when score > 4
    near: rear_hexes(u.at, u.facing) otherwise
  ask u.owner for dest in best where not dest.woods and (no x in occupants(dest)) "where?":
    move u to dest
    set dest.height to min(5, score)
  else:
    set u.at.woods to yes
  let linked = connected(u, foe)
  let ps = count(each (x, y) in pairs(units, units) where foe(x, y))
  let the_one = the x in {u}
  finish with min(99, score + ps + count(each x in linked) + distance(u.at, the_one.at) + floor(score / 2))
"""

DRAWS = """\
procedure go(u: Unit) "Go":
  add 3 to pool_left
  add 5 to pool_left
  add 3 to pool_left
  draw from pool_left as x
  if x > 3:
    take 3 from pool_left
  draw from pool_left as y
  draw from pool_left as z
  else:
    set turn to 4
  repeat while some p in pool_left at most 5:
    draw from pool_left as q
"""

DECKS = """\
record Card:
  name: Tag
  worth: 0..9
procedure go(u: Unit) "Go":
  let supply: deck of Card = [Card(brave, 1), Card(weary, 2), Card(lost, 3), Card(lost, 3)]
  let discards: list of Card = []
  let bag: bag of 1..6 = [5, 2, 2, 6]
  let stock: map of Tag to 0..9 = 0
  set stock[lost] to 2
  set stock[weary] to 1
  shuffle supply
  for each x in units:
    repeat while x.health < 6 at most 3:
      draw from supply as card
      else:
        set supply to supply + discards
        set discards to []
        shuffle supply
        stop
      add card to discards
      add up to card.worth to x.health
  draw from bag as token
  add token to bag
  add 1 to bag
  draw from bag as other_token
  draw from stock as tag
  else:
    finish
  add tag to u.tags
  let team: deck of Unit = units
  shuffle team
  draw from team as first
  else:
    finish
  add first to team
  take u from team
  let rest: bag of Unit = {each x in units where x != first}
  draw from rest as second
  move second to first.at
  add up to token + other_token + count(team) to turn
"""

SECRETS = """\
procedure go(u: Unit) "Go":
  let red_one: player = u.owner
  let other_one = active
  for each x in players where x != red_one:
    set other_one to x
    stop
  ask red_one secretly for mine in units where mine != u "Whom?":
    require strong: mine.health > 0
  else:
    finish
  ask active secretly whether push when u.health > 2 "Push?"
  ask other_one secretly to choose way "Which way?":
    option left when u.morale > 1
    option right
  add up to 1 to turn
  reveal push
  if push:
    take up to 1 from u.health
  reveal mine
  take up to 1 from mine.health
  reveal way
  if way = "left":
    add up to 2 to turn
  ask all players as p for t in units where t.owner != p "Target?":
    require near: t != u or p = active
  for each q in players:
    take up to 1 from t[q].morale
  ask all {red_one, other_one} as p to pick 0..2 of each x in units where x.owner = p as team "Team?":
    require few: count(team) < 2 or p = active
  for each x in team[red_one]:
    add up to 1 to x.health
  ask all {red_one, other_one} as p to split u.morale over units as shares "Shares?"
  for each x in units:
    add up to shares[other_one][x] to x.morale
  ask all players as p whether ready when p != active "Ready?"
  ask all {each x in players where ready[x]} as p to choose card "Card?":
    option high when p = red_one
    option low
  if some p in players where ready[p] and card[p] = "low":
    add up to 5 to turn
  ask all {active} as p for dir_one in {1, 2} "One?"
  set turn to dir_one[red_one]
"""

SECRETS_ELSEWHERE = """\
external term fits(p: player, t: Unit) gives flag
external term those() gives set of player
procedure go() "Go":
  for each u in units:
    if fits(u.owner, u):
      add up to 1 to u.health
    ask u.owner whether more "More?":
      if fits(active, u):
        add up to 1 to u.morale
  repeat while turn < 5 at most 9:
    if some x in units where fits(active, x) and x.health > 1:
      add up to 2 to turn
    add up to 1 to turn
  ask all those() as p for t in units where fits(p, t) and t.owner != p "Whom?"
  for each q in t:
    take up to 1 from t[q].health
  ask active secretly to pick 1..2 of each x in units where fits(active, x) as picked "Which?":
    require own: no x in picked where x.owner = active
  else:
    finish
  reveal picked
  for each x in picked:
    take up to 1 from x.morale
"""

NUMBERS = """\
procedure go(u: Unit) gives 0..99 "Go":
  let rolled: 0..99 = 0
  for each x in units:
    match x.health:
      on 0, 4+:
        add 1 to rolled
      on 2..3:
        ask x.owner whether more "more?":
          take 2 from x.health
      otherwise:
        add up to 3 to x.health
  roll 2d6 as dice by u.owner
  match total(dice):
    on 2..4, 12:
      add up to 10 to rolled
    on 7:
      ask u.owner whether spend "spend?":
        add up to 20 to rolled
    otherwise:
      add up to total(dice) to rolled
  match u.leader:
    on none:
      nothing
    otherwise:
      add up to 50 to rolled
  finish with rolled
"""

CASES = [
    pytest.param(NUMBERS, "go", (0,), id="numbers-go-0"),
    pytest.param(NUMBERS, "go", (1,), id="numbers-go-1"),
    pytest.param(SECRETS_ELSEWHERE, "go", (), id="secrets-elsewhere"),
    pytest.param(SECRETS, "go", (0,), id="secrets-go-0"),
    pytest.param(SECRETS, "go", (1,), id="secrets-go-1"),
    pytest.param(SECRETS, "go", (2,), id="secrets-go-2"),
    pytest.param(DECKS, "go", (0,), id="decks-go-0"),
    pytest.param(DECKS, "go", (2,), id="decks-go-2"),
    pytest.param(DICE, "throw", (0,), id="dice-throw-0"),
    pytest.param(DICE, "throw", (2,), id="dice-throw-2"),
    pytest.param(LOOPS, "go", (), id="loops-go-"),
    pytest.param(RULES, "go", (), id="rules-go-"),
    pytest.param(WINDOWS, "go", (0,), id="windows-go-0"),
    pytest.param(WINDOWS, "go", (1,), id="windows-go-1"),
    pytest.param(WINDOWS, "go", (2,), id="windows-go-2"),
    pytest.param(JUMPS, "go", (1,), id="jumps-go-1"),
    pytest.param(JUMPS, "outer", (), id="jumps-outer-"),
    pytest.param(PICKS, "go", (0,), id="picks-go-0"),
    pytest.param(PICKS, "go", (1,), id="picks-go-1"),
    pytest.param(NEEDS, "go", (0, 1), id="needs-go-0-1"),
    pytest.param(NEEDS, "go", (1, 0), id="needs-go-1-0"),
    pytest.param(NEEDS, "go", (2, 2), id="needs-go-2-2"),
    pytest.param(NEEDS, "go", (3, 1), id="needs-go-3-1"),
    pytest.param(DEEP, "go", (0,), id="deep-go-0"),
    pytest.param(EXTERNALS, "go", (0,), id="externals-go-0"),
    pytest.param(EXTERNALS, "go", (2,), id="externals-go-2"),
    pytest.param(WAITING_WATCHES, "go", (0,), id="waiting-watches-go-0"),
    pytest.param(WAITING_WATCHES, "go", (1,), id="waiting-watches-go-1"),
    pytest.param(REMOVALS_HEARD, "go", (0,), id="removals-heard-go-0"),
    pytest.param(REMOVALS_HEARD_ALONE, "go", (0,), id="removals-heard-alone-go-0"),
    pytest.param(REMOVALS_HEARD_BESIDE, "go", (1,), id="removals-heard-beside-go-1"),
    pytest.param(HOLD, "go", (0, 1), id="hold-go-0-1"),
    pytest.param(HOLD, "go", (1, 2), id="hold-go-1-2"),
    pytest.param(TERMS, "go", (0,), id="terms-go-0"),
    pytest.param(TERMS, "go", (1,), id="terms-go-1"),
    pytest.param(TERMS, "go", (2,), id="terms-go-2"),
    pytest.param(DRAWS, "go", (0,), id="draws-go-0"),
]
SEEDS = range(choose_count(4, 8))


@pytest.mark.parametrize(("rules", "procedure", "arguments"), CASES)
def test_machine_and_judge_agree(rules: str, procedure: str, arguments: tuple[int, ...]) -> None:
    played = load_program(UNITS + rules)
    for seed in SEEDS:
        compare_with_judge(played, read_situation(STATE, played), procedure, arguments, seed)


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
@pytest.mark.parametrize(("rules", "procedure", "arguments"), CASES)
def test_a_play_frozen_at_every_question_and_a_live_one_come_to_the_same(
    rules: str, procedure: str, arguments: tuple[int, ...], *, traced: bool
) -> None:
    played = load_program(UNITS + rules)
    executable = compile_program(played, traced=traced)
    begun = read_situation(STATE, played)
    for seed in SEEDS:
        asked: list[tuple[Any, ...]] = []
        outcome, entries = start_run(executable, begun, procedure, arguments), []
        while isinstance(outcome, Paused):
            entries += outcome.entries
            question = outcome.request.question
            assert question is not None
            asked.append(
                (question.sort, question.address, question.player, _choose_answer(played, begun, question, seed))
            )
            outcome = Run.thaw(executable, outcome.state).reply(asked[-1][3])
        live, told = Run.begin(executable, begun, procedure, arguments), []
        for *same, given in asked:
            told += live.outcome.entries
            question = live.make_question()
            assert same == [question.sort, question.address, question.player]
            live.reply(given)
        assert _describe_end(live.outcome) == _describe_end(outcome)
        assert [_describe_entry(each) for each in (*told, *live.outcome.entries)] == [
            _describe_entry(each) for each in (*entries, *outcome.entries)
        ]


def _choose_answer(played: Program, begun: Situation, question: PendingQuestion, seed: int) -> Any:
    draw = Random(f"{seed}{question.sort}{question.address}{question.data!r}")
    match question.sort:
        case "roll" | "draw" | "shuffle":
            return question.outcome_at(draw.randrange(question.outcome_count))
        case "external":
            result = played.external_procedures[question.node.external].result
            return (None if result is None else draw_value(result, played, begun.base.things, draw)), ()
        case "value":
            return draw_value(played.external_terms[question.data[0]].type, played, begun.base.things, draw)
        case _:
            return draw.choice(list(islice(question.iterate_answers(), 200)))


def _describe_end(outcome: Outcome) -> tuple[Any, ...]:
    match outcome:
        case Ended(state=state, result=result):
            return "ended", state, hash(state), result
        case Refused(reasons=reasons):
            return "refused", reasons
        case Faulted(code=code, address=address, message=message):
            return "faulted", code, address, message
        case _:
            raise AssertionError(outcome)


def _describe_entry(entry: Any) -> tuple[Any, ...]:
    return entry.sort, entry.address, entry.enclosing, entry.changes, entry.rows, entry.forced
