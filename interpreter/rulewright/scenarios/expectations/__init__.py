"""What a scenario expects, each sort with its own judge."""
