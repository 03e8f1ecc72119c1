"""The REST API: one file for each resource, none with a step of its own."""
