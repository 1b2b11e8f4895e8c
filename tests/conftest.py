"""What holds for all tests: no timing decides one, and what several of them share is imported from here downwards."""

import sys
from pathlib import Path

from hypothesis import settings

settings.register_profile("stampede", deadline=None)
settings.load_profile("stampede")

sys.path.insert(0, str(Path(__file__).parent))
