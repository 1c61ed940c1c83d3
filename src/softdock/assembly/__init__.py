"""Conversion of a model to the arrays that the kernels read."""
