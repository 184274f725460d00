"""Names and numbers scrambled into 64 bits, the same on every machine and in every version of Python."""

import hashlib

import numpy as np


def hashed_name(name: str) -> int:
    """63 bits of a name."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Each number scrambled, one to one, as kernels/rows.py does it (the finaliser of SplitMix64)."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
