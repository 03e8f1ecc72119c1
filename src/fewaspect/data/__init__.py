"""Labelled sentences: what they are, how files become them, named benchmarks, episodes."""
