"""English sentences from the checked program and from traces; `README.md` is the room's page."""
