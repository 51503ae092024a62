"""Whether a model knows the language of a prompt."""

import pytest

from retrieval.lexical.languages import knows_language

ENGLISH = frozenset({"en"})


@pytest.mark.parametrize(
    ("prompt", "languages", "known"),
    [
        ("push to main", ENGLISH, True),
        ("déployer en production", ENGLISH, True),
        ("推送到主分支", ENGLISH, False),
        ("推送到主分支", frozenset({"zh"}), True),
        ("推送到主分支", frozenset({"ja"}), True),
        ("ブランチを強制プッシュする", ENGLISH, False),
        ("ブランチを強制プッシュする", frozenset({"zh", "en"}), False),
        ("ブランチを強制プッシュする", frozenset({"ja"}), True),
        ("강제로 푸시", frozenset({"ko"}), True),
        ("강제로 푸시", frozenset({"ja", "zh"}), False),
        ("удали ветку", frozenset({"ru"}), True),
        ("удали ветку", ENGLISH, False),
        ("git push -f origin dev 同事 asked for it on the shared branch", ENGLISH, True),
        ("把 main 分支强制推送", ENGLISH, False),
        ("推送到主分支", None, True),
        ("", ENGLISH, True),
        ("… — 123", ENGLISH, True),
    ],
)
def test_the_script_of_most_letters_tells(prompt, languages, known):
    assert knows_language(prompt, languages) is known
