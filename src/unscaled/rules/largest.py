"""What the rules share whose scale is the largest |x| so far: it stands until something exceeds it."""

# The smallest normal double. A smaller scale has no finite inverse, so lesser values are read against this one:
# they are still told apart, they only count as small.
SMALLEST_SCALE = 2.0**-1022


def limit(self: object, s: float) -> float:
    """A maximum stands until something exceeds it."""
    return s


def beyond(self: object, x: float, h: float) -> float:
    """Step 2.(a).ii of algorithms 1 and 2: the new maximum."""
    return max(abs(x), SMALLEST_SCALE)


def stretch(self: object, z: float, h: float) -> float:
    """Nothing moves within the limit."""
    return z
