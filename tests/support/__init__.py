"""What tests share: cases and pages as data, small rulesets, random plays, the slow judge. One import path: `tests`."""
