"""Models of sensors: relative pose sensor and gyro."""

import math

from softdock.gnc.kernels.random_numbers import normal_vector, uniform_pair
from softdock.native.decorators import inline


@inline
def noise_at_range(constant, per_metre, distance):
    """Return a standard deviation that grows with range: the root of the sum of squares; Eq. (K11)."""
    return math.sqrt(constant * constant + per_metre * per_metre * distance * distance)


@inline
def is_in_view(x, y, z, cosine):
    """Return whether a point, in the sensor's axes, is within the field of view about its z axis; Eq. (K12)."""
    return z >= cosine * math.sqrt(x * x + y * y + z * z)


@inline
def drops_out(probability, seed, stream, counter):
    """Return whether a measurement is lost, with this probability."""
    u, _ = uniform_pair(seed, stream, counter)
    return u < probability


@inline
def disturbed_vector(x, y, z, bias, sigma, seed, stream, counter):
    """Return a vector with a bias (3,) and white noise of a standard deviation; uses two counters."""
    a, b, c = normal_vector(seed, stream, counter)
    return x + bias[0] + sigma * a, y + bias[1] + sigma * b, z + bias[2] + sigma * c


@inline
def walk_bias(bias, walk, dt, seed, stream, counter):
    """Move the bias (3,) of a gyro by its random walk [rad/s/sqrt(s)] over dt [s]; uses two counters; Eq. (K13)."""
    a, b, c = normal_vector(seed, stream, counter)
    step = walk * math.sqrt(dt)
    bias[0], bias[1], bias[2] = bias[0] + step * a, bias[1] + step * b, bias[2] + step * c
