"""The product: aspects from a few examples each, found in any text."""
