"""Sentences to token states: pretrained weights, frozen lower layers with a cache, trainable upper layers, export."""
