"""Text before any encoder: sentences, tokens, and when two texts are the same."""
