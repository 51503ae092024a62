"""The housekeeping pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nokori_site.config import publish_config

if TYPE_CHECKING:
    from rules.disk import DataFolder


def catch_up(folder: DataFolder) -> None:
    """Files the notes of the hooks and republishes what is stale: what a verb that reads wants before it reads."""
    publish_config(folder)
