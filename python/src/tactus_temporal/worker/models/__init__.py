"""Models by their types, in the process that loads them."""
