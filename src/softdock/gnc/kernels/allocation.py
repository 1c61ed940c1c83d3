"""Allocation of force and torque to on-times of thrusters with the least propellant: a small linear programme."""

from softdock.native.decorators import inline, kernel

ROWS = 6  # torque and force
# Rows of the tableau after those of the constraints.
REDUCED = 6  # reduced costs
PLACE = 7  # where a variable is: AT_LOWER, AT_UPPER or BASIC
UPPER = 8  # upper bounds
TABLEAU_ROWS = 9
EXTRA_COLUMNS = 2 * ROWS + 2  # deviations of both signs, value and index of the basic variable of a row
AT_LOWER, AT_UPPER, BASIC = 0.0, 1.0, 2.0
UNBOUNDED = 1e300
SMALLEST_PIVOT = 1e-11  # relative to columns scaled to one
MAX_PIVOTS = 400  # twelve to twenty are usual; the solution is feasible after any number
CAREFUL_AFTER = 100  # pivots after which Bland's rule excludes cycles


@kernel
def allocate_on_times(effect, cost, longest, demand, weight, tableau, on_times):
    """Write the on-times [s] of thrusters that produce an impulse with the least cost; Eq. (K8).

    `effect` (6, n): torque and force of each thruster [N m, N], `cost` (n,) per second, `longest` (n,) on-times [s],
    `demand` (6,) impulse of torque and force [N m s, N s], `weight` (6,) cost of a unit of deviation from it.
    The programme is always feasible: where thrusters cannot produce the demand, the weighted deviation is least.
    Primal simplex method with bounded variables.
    """
    n = effect.shape[1]
    start_tableau(effect, cost, longest, demand, weight, tableau)
    for pivot in range(MAX_PIVOTS):
        column = entering_column(tableau, n + 2 * ROWS, pivot >= CAREFUL_AFTER)
        if column < 0:
            break
        move_column(tableau, n + 2 * ROWS, column)
    for j in range(n):
        on_times[j] = longest[j] if tableau[PLACE, j] == AT_UPPER else 0.0
    for r in range(ROWS):
        j = int(tableau[r, n + 2 * ROWS + 1])
        if j < n:
            on_times[j] = min(max(tableau[r, n + 2 * ROWS], 0.0), longest[j])


@inline
def start_tableau(effect, cost, longest, demand, weight, tableau):
    """Write the tableau with the deviations as basic variables and all thrusters off."""
    n = effect.shape[1]
    value, index = n + 2 * ROWS, n + 2 * ROWS + 1
    for r in range(ROWS):
        sign = 1.0 if demand[r] >= 0.0 else -1.0
        for j in range(n):
            tableau[r, j] = sign * effect[r, j]
        for k in range(ROWS):
            tableau[r, n + k] = sign if k == r else 0.0
            tableau[r, n + ROWS + k] = -sign if k == r else 0.0
        tableau[r, value] = sign * demand[r]
        tableau[r, index] = n + r if demand[r] >= 0.0 else n + ROWS + r
    for j in range(n):
        tableau[REDUCED, j], tableau[PLACE, j], tableau[UPPER, j] = cost[j], AT_LOWER, longest[j]
        for r in range(ROWS):
            tableau[REDUCED, j] -= weight[r] * tableau[r, j]
    for k in range(ROWS):
        basic, other = (n + k, n + ROWS + k) if demand[k] >= 0.0 else (n + ROWS + k, n + k)
        tableau[REDUCED, basic], tableau[PLACE, basic], tableau[UPPER, basic] = 0.0, BASIC, UNBOUNDED
        tableau[REDUCED, other], tableau[PLACE, other], tableau[UPPER, other] = (
            2.0 * weight[k],
            AT_LOWER,
            UNBOUNDED,
        )


@inline
def entering_column(tableau, columns, careful):
    """Return the variable whose move lowers the cost most per unit, or the first such one; -1 at the optimum."""
    best, entering = 0.0, -1
    for j in range(columns):
        place, reduced = tableau[PLACE, j], tableau[REDUCED, j]
        if place == BASIC or tableau[UPPER, j] <= 0.0:
            continue
        gain = -reduced if place == AT_LOWER else reduced
        if gain > 1e-9 * (1.0 + abs(tableau[REDUCED, j])) and gain > best:
            best, entering = gain, j
            if careful:
                break
    return entering


@inline
def move_column(tableau, columns, column):
    """Move a variable from its bound until it or a basic variable reaches a bound."""
    value, index = columns, columns + 1
    direction = 1.0 if tableau[PLACE, column] == AT_LOWER else -1.0
    step, row, to_upper = tableau[UPPER, column], -1, False
    for r in range(ROWS):
        a = direction * tableau[r, column]
        limit, reaches_upper = UNBOUNDED, False
        if a > SMALLEST_PIVOT:
            limit = max(tableau[r, value], 0.0) / a
        elif a < -SMALLEST_PIVOT:
            bound = tableau[UPPER, int(tableau[r, index])]
            if bound < UNBOUNDED:
                limit, reaches_upper = max(bound - tableau[r, value], 0.0) / -a, True
        # Of equal limits the larger pivot, which is the more accurate one.
        tie = row >= 0 and limit == step and abs(a) > abs(tableau[row, column])
        if limit < step or tie:
            step, row, to_upper = limit, r, reaches_upper
    for r in range(ROWS):
        tableau[r, value] -= direction * step * tableau[r, column]
    if row < 0:
        tableau[PLACE, column] = AT_UPPER if direction > 0.0 else AT_LOWER
        return
    leaving = int(tableau[row, index])
    tableau[PLACE, leaving] = AT_UPPER if to_upper else AT_LOWER
    entering_value = step if direction > 0.0 else tableau[UPPER, column] - step
    tableau[PLACE, column] = BASIC
    tableau[row, index] = float(column)
    eliminate_column(tableau, columns, row, column)
    tableau[row, value] = entering_value


@inline
def eliminate_column(tableau, columns, row, column):
    """Make a column a unit vector by elimination, in the constraints and the reduced costs."""
    inverse = 1.0 / tableau[row, column]
    for j in range(columns):
        tableau[row, j] *= inverse
    for r in range(ROWS + 1):
        if r != row:
            factor = tableau[r, column]
            if factor != 0.0:
                for j in range(columns):
                    tableau[r, j] -= factor * tableau[row, j]
