"""Forces of elements, contacts and interfaces, reactions, and the derivative of the state."""
