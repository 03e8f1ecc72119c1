"""What helps a person to label: which sentences, whether they are right and enough, what was forgotten."""
