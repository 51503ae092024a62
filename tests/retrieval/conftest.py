from pathlib import Path

import pytest

from rules.models import Rule
from tests.retrieval.published_rules import make_rules


@pytest.fixture
def published(data_folder) -> Path:
    return Path(data_folder.published)


@pytest.fixture
def pool(published) -> list[Rule]:
    """Twenty published rules."""
    return make_rules(20)
