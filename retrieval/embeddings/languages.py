"""Which languages a model knows: what the user says, else what its model card says, else what its name tells.

None stands for every language. A wrong guess costs little: cosines that mean nothing lie under the calibrated floor.
"""

from __future__ import annotations

import re
from pathlib import Path

from retrieval.embeddings.protocol import EmbedderUnavailable

CODE = re.compile(r"[a-z]{2,3}")
CARD = "README.md"
FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---", re.DOTALL)
LANGUAGE_FIELD = re.compile(r"^language:[ \t]*(.*(?:\n[ \t]*-.*)*)", re.MULTILINE)
MANY_LANGUAGES = 12  # a card that lists so many means "multilingual"; it seldom lists all of them
ENGLISH_ONLY = (
    re.compile(r"all-(minilm|mpnet|distilroberta)"),
    re.compile(r"(bge|gte|stella)-.*-en\b"),
    re.compile(r"(^|/)e5-(small|base|large)"),
    re.compile(r"nomic-embed-text(-v1|:|$)"),
    re.compile(r"mxbai-embed-large"),
    re.compile(r"snowflake-arctic-embed(?!.*v2)"),
    re.compile(r"granite-embedding-.*english"),
)
CHINESE_FIRST = re.compile(r"(bge|gte|stella)-.*-zh\b")


def parse_languages(text: str) -> frozenset[str] | None:
    """The setting embed.languages: codes such as "en, zh, ja"; empty or "all" is None. Raises EmbedderUnavailable."""
    codes = frozenset(re.split(r"[,\s]+", text.strip().lower())) - {""}
    if not codes or codes == {"all"}:
        return None
    if not all(CODE.fullmatch(code) for code in codes):
        raise EmbedderUnavailable(f'embed.languages = "{text}" is not allowed; use codes such as "en, zh, ja".')
    return codes


def languages_of_card(folder: Path) -> frozenset[str] | None:
    """What the front matter of a model card lists; None when it lists nothing, or many."""
    try:
        front = FRONT_MATTER.match((folder / CARD).read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    field = LANGUAGE_FIELD.search(front[1]) if front else None
    words = re.findall(r"[a-z]+", field[1].lower()) if field else []
    codes = frozenset(words)
    is_a_list = all(CODE.fullmatch(code) for code in codes)  # one of "multilingual" is none
    return codes if codes and is_a_list and len(codes) < MANY_LANGUAGES else None


def languages_of_name(model: str) -> frozenset[str] | None:
    name = model.lower()
    if any(pattern.search(name) for pattern in ENGLISH_ONLY):
        return frozenset({"en"})
    return frozenset({"zh", "en"}) if CHINESE_FIRST.search(name) else None
