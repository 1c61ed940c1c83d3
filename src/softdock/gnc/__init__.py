"""Guidance, navigation and control: design of gains and filters, and the kernels that execute them in a run."""
