"""Imports the installed package before the builder, which would otherwise import only its kernels."""

import softdock  # noqa: F401
