"""Sentences to token states: weights on disk, frozen lower layers with a cache, trainable upper layers."""
