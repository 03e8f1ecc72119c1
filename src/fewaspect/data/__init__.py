"""Labelled sentences: file formats, statistics, named benchmarks, episodes."""
