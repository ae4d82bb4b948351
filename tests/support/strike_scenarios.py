"""The head of files of scenarios about a strike of one knight at another, without and with a shield."""

STRIKE_HEAD = """\
procedure: strike
with: {striker: gawain, target: mordred}
state:
  players: [red, blue]
  knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 3}}
  game: {active: red}
scenarios:
"""
SHIELDED_STRIKE_HEAD = STRIKE_HEAD.replace("health: 3", "health: 3, shield: yes")
