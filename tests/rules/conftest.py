"""These tests are about rules alone: nothing is published when one changes."""

import pytest

from retrieval.apps import publish_pool
from rules.signals import pool_changed


@pytest.fixture(autouse=True)
def _nothing_published():
    pool_changed.disconnect(publish_pool)
    yield
    pool_changed.connect(publish_pool)
