"""What the sentences of a project think of their aspects."""
