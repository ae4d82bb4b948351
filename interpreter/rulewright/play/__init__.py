"""Sessions, answer sources, prompts, stories, reports and drawings of plays; `README.md` is the room's page."""
