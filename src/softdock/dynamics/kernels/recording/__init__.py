"""Memory of a run, evaluation at any instant, and rows of the history."""
