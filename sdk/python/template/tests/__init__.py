"""The SDK is a folder of this project, not an installed package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "vendor" / "espejote-sdk"))
