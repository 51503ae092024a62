"""What of a rule and of a prompt is embedded: a rule's own phrases cut into few chunks, a prompt's two ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrieval.lexical.results import Document

MAX_QUERY_CHARS = 4000  # of a longer prompt the two ends; the question stands at one of them
BREAKS = ("\n", ". ", "。", " ")  # where a chunk may end, best first


def rule_chunks(document: Document, *, size: int, count: int) -> list[str]:
    """The texts of a rule, at least one and at most `count`, of at most `size` characters; the rest is left out."""
    texts = (document.trigger, document.trigger_zh, *document.variants, document.action, document.action_zh)
    return cut_chunks("\n".join(text.strip() for text in texts if text.strip()), size=size, count=count)


def cut_chunks(text: str, *, size: int, count: int) -> list[str]:
    """Cuts after a line, a sentence or a word, where the second half of a chunk has such a place."""
    chunks: list[str] = []
    while len(chunks) < count and (text or not chunks):
        end = _chunk_end(text, size)
        chunks.append(text[:end].strip())
        text = text[end:].strip()
    return chunks


def clip_query(prompt: str) -> str:
    if len(prompt) <= MAX_QUERY_CHARS:
        return prompt
    half = MAX_QUERY_CHARS // 2
    return f"{prompt[:half]}\n{prompt[-half:]}"


def _chunk_end(text: str, size: int) -> int:
    if len(text) <= size:
        return len(text)
    for mark in BREAKS:
        at = text.rfind(mark, size // 2, size)
        if at >= 0:
            return at + len(mark)
    return size
