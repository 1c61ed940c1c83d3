"""The cut cell: exact integrals of the positive part of a depth that is linear over a rectangle."""

from softdock.jit import inlined

SOFT = 1e-8  # [m] smallest slope of the depth across a cell; keeps the divisions below finite
HALF_SQRT3 = 0.8660254037844386
TWELFTH = 1.0 / 12.0


@inlined
def cut(s, alpha, beta):
    """Integrals over the cell of a depth of mean s and slopes alpha, beta [m].

    Returns (W, E, m_alpha, m_beta, covered): mean positive part [m], mean of half its square [m2], the
    derivatives of E by the slopes [m], and the part of the cell that touches. Free of branches.
    """
    a, b = abs(alpha) + SOFT, abs(beta) + SOFT
    t, q = 0.5 * (a + b), 0.5 * (a - b)
    h1, h2, h3 = max(s + t, 0.0), max(s + q, 0.0), max(s - q, 0.0)  # the fourth corner is outside
    p1, p2, p3 = h1 * h1 * h1, h2 * h2 * h2, h3 * h3 * h3
    both = 1.0 / (a * b)  # divisions cost most here: this is the only one
    inverse = TWELFTH * both
    full = s >= t
    W = s if full else 2.0 * inverse * (p1 - p2 - p3)  # Eq. (C9)
    E = (
        0.5 * s * s + 0.5 * TWELFTH * (a * a + b * b)
        if full
        else 0.5 * inverse * (p1 * h1 - p2 * h2 - p3 * h3)
    )  # Eq. (C10)
    m_a = TWELFTH * a if full else inverse * (p1 - p2 + p3) - E * b * both  # Eq. (C11)
    m_b = TWELFTH * b if full else inverse * (p1 + p2 - p3) - E * a * both
    covered = 1.0 if full else 6.0 * inverse * (h1 * h1 - h2 * h2 - h3 * h3)
    return W, E, (m_a if alpha >= 0.0 else -m_a), (m_b if beta >= 0.0 else -m_b), covered
