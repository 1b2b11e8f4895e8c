"""What holds for all tests: no timing decides one."""

from hypothesis import settings

settings.register_profile("stampede", deadline=None)
settings.load_profile("stampede")
