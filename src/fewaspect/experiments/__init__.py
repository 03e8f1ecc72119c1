"""The reproduction harness: a grid of trainings and evaluations, its cells, and the paper's tables made of them."""
