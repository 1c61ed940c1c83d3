"""One thread for linear algebra: tests run side by side, and waiting threads cost five times what they give."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
