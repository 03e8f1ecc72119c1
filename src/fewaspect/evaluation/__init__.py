"""Evaluation on many episodes: scores, decisions, metrics with intervals."""
