"""The paper's parts, each a small module that knows nothing of episodes or methods."""
