"""Metrics, intervals, and the evaluator that encodes each sentence once for all episodes."""
