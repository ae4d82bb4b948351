"""What comes from outside: YAML and JSON with places; states, scripts, saves, answers and their JSON Schemas."""
