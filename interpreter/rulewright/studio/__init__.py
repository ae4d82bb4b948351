"""The workbench in the browser: rules, plays, scenarios, comparisons and odds of one folder, on this machine alone.

A question of the browser is a command line, run by a standby process.
"""
