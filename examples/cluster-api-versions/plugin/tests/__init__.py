"""In this repository the SDK is a folder beside the examples."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "sdk" / "python"))
