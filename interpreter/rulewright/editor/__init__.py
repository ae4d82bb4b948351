"""What an editor asks of rules and data while they are written; `README.md` is the room's page."""
