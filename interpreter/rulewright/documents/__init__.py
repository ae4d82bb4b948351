"""Input and output documents: YAML and JSON with source spans; states, scripts, saves, answers and their JSON Schemas."""
