"""Solution of linear equations with a symmetric positive definite matrix."""

import math

from softdock.native.decorators import kernel


@kernel
def factor(M, L, first):
    """Write the Cholesky factor of the rows and columns from `first` on."""
    for i in range(first, M.shape[0]):
        for j in range(first, i + 1):
            x = M[i, j]
            for k in range(first, j):
                x -= L[i, k] * L[j, k]
            L[i, j] = math.sqrt(x) if i == j else x / L[j, j]


@kernel
def solve(L, x, first):
    """Replace x by the solution y of L L^T y = x, rows from `first` on."""
    n = x.shape[0]
    for i in range(first, n):
        for k in range(first, i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, first - 1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]
