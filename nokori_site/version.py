"""The one place that holds Nokori's version."""

from __future__ import annotations

VERSION = "0.1.0"
