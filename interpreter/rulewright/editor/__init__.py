"""What an editor asks of a ruleset while it is written: a text and a cursor go in, frozen answers come out.

`desk` holds the texts that are open over those of the disk, what is known of each ruleset, and what is wrong.
`readable` keeps the last readable form of every declaration in the place of one that cannot be read; `places` finds a
place of one text in another. `answers` are what is told. Each of the others answers one sort of question: `list_fixes`;
`completion`, by what the grammar takes at the cursor (`cursor`) and the names in sight there; `hover`, `navigation`,
`layout` and `marks`; `list_changes_since_commit` says what differs from the last commit. `data_files` answers the same of scenarios,
states, scripts and clause lists, and `project_file` of `rulewright.toml`, both by the schemas that judge them
(`by_schema`). Nothing here knows a protocol.
"""
