"""Examples of three aspects, for the tests of the detector."""

EXAMPLES = {
    "food": ["the soup was cold", "delicious pizza and fresh salad"],
    "parking": ["no valet", "the garage was full"],
    "staff": ["the waiter was rude"],
}
