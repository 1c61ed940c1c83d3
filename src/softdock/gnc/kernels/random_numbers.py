"""Random numbers as a function of seed, stream and counter: the same in any order and with any number of workers.

Threefry-2x32 with 20 rounds (J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011). It needs only
sums, rotations and exclusive ors of 32 bits, which have the same result in compiled code and in plain Python.
"""

import math

from softdock.native.decorators import inline, kernel

MASK = 0xFFFFFFFF
PARITY = 0x1BD11BDA  # constant of the key schedule


@inline
def rotate_left(x, bits):
    """Rotate 32 bits to the left."""
    return ((x << bits) | (x >> (32 - bits))) & MASK


@inline
def mix(x, y, a, b, c, d):
    """Mix two words of 32 bits in four rounds with these rotations."""
    x = (x + y) & MASK
    y = rotate_left(y, a) ^ x
    x = (x + y) & MASK
    y = rotate_left(y, b) ^ x
    x = (x + y) & MASK
    y = rotate_left(y, c) ^ x
    x = (x + y) & MASK
    y = rotate_left(y, d) ^ x
    return x, y


@kernel
def random_words(key_0, key_1, counter_0, counter_1):
    """Return two random words of 32 bits; all arguments are integers of 32 bits."""
    key_2 = key_0 ^ key_1 ^ PARITY
    x, y = (counter_0 + key_0) & MASK, (counter_1 + key_1) & MASK
    x, y = mix(x, y, 13, 15, 26, 6)
    x, y = (x + key_1) & MASK, (y + key_2 + 1) & MASK
    x, y = mix(x, y, 17, 29, 16, 24)
    x, y = (x + key_2) & MASK, (y + key_0 + 2) & MASK
    x, y = mix(x, y, 13, 15, 26, 6)
    x, y = (x + key_0) & MASK, (y + key_1 + 3) & MASK
    x, y = mix(x, y, 17, 29, 16, 24)
    x, y = (x + key_1) & MASK, (y + key_2 + 4) & MASK
    x, y = mix(x, y, 13, 15, 26, 6)
    return (x + key_2) & MASK, (y + key_0 + 5) & MASK


@kernel
def uniform_pair(seed, stream, counter):
    """Return two independent numbers, uniform between 0 and 1, both excluded."""
    a, b = random_words(seed & MASK, stream & MASK, counter & MASK, (counter >> 32) & MASK)
    return (a + 0.5) / 4294967296.0, (b + 0.5) / 4294967296.0


@kernel
def normal_pair(seed, stream, counter):
    """Return two independent normal numbers with mean 0 and standard deviation 1 (Box-Muller); Eq. (K3)."""
    a, b = uniform_pair(seed, stream, counter)
    r, angle = math.sqrt(-2.0 * math.log(a)), 2.0 * math.pi * b
    return r * math.cos(angle), r * math.sin(angle)


@inline
def normal_vector(seed, stream, counter):
    """Return three independent normal numbers; uses two counters, this one and the next."""
    x, y = normal_pair(seed, stream, counter)
    z, _ = normal_pair(seed, stream, counter + 1)
    return x, y, z
