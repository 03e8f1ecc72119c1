"""Training on episodes: trainer, checkpoints, run folders, evaluation of runs, export."""
