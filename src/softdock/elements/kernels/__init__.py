"""Kernels that all kinds of elements share: records, joints, wrenches, tangents, dispatch."""
