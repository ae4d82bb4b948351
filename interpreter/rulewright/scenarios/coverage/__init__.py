"""What scenarios reach of a ruleset: units of a program, who reached them, and the report (manual, Coverage)."""
