"""One step of each method, its error, and the size of the next one."""
