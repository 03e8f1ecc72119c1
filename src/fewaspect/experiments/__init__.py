"""Experiments: a grid of trainings and evaluations, its cells, the paper's tables and figures made from them."""
