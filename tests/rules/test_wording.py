import pytest

from rules.wording import counted


@pytest.mark.parametrize(("count", "words"), [(0, "0 rules"), (1, "1 rule"), (2, "2 rules"), (1200, "1,200 rules")])
def test_a_count_and_its_noun_agree(count, words):
    assert counted(count, "rule") == words
