"""Tests use the installed package: it is imported before the builder, which would import kernels alone."""

import softdock  # noqa: F401
