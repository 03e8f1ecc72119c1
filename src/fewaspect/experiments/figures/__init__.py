"""Pictures of results and runs: one file per figure, one for what they share in looks. matplotlib is imported late."""
