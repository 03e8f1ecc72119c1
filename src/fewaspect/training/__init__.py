"""Training on episodes: the trainer, its checkpoints and the run folder they live in."""
