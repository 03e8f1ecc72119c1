"""The equations of the paper and of its baselines, one small module each."""
