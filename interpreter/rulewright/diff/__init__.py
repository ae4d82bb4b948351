"""What an edit changed: two revisions of a ruleset, their structure, their meaning and how they play."""
