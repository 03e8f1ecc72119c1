"""How the branch for sentiment is made."""
