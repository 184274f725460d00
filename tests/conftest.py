"""How the tests run: the same hypothesis examples everywhere, and no deadline while kernels are compiled."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    print_blob=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", parent=settings.get_profile("default"), derandomize=False, max_examples=1000)
settings.load_profile("default")
