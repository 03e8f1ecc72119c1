"""What helps a person to label: which sentences, whether they are right, whether they are enough, what was forgotten."""
