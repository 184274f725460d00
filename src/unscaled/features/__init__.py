"""From columns to slots: whatever the rows come as, the kernels get numbers and the places of their features."""

from unscaled.features.crossing import Crossing
from unscaled.features.fingerprints import fingerprints
from unscaled.features.named import NamedFeatures
from unscaled.features.positional import PositionalFeatures

__all__ = ["Crossing", "NamedFeatures", "PositionalFeatures", "fingerprints"]
