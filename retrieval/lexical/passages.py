"""A prompt in, its passages out: the parts that are matched one by one.

A short prompt is one passage. A long one (a pasted log, diff or page) is cut into lines and sentences, and what is still
long into half-overlapping windows, so that a rule must match one place and not the paste as a whole.
"""

from __future__ import annotations

from retrieval.lexical.concepts import is_marker, tokenize_with_concepts
from retrieval.lexical.tokens import count_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retrieval.lexical.tokens import Token

PASSAGE_WORDS = 40  # a longer prompt is cut; measured with the labelled prompts, which have 9 words
MAX_PROMPT_CHARS = 100_000  # about 15,000 words; the question stands at one of the ends
SENTENCE_ENDS = (". ", "! ", "? ", "; ", "\u3002", "\uff01", "\uff1f", "\uff1b")


class Passage:
    """The distinct terms of one part of a prompt, each with the number of the word where it is first seen.

    `explained` are the words beside which a concept stands.
    """

    __slots__ = ("explained", "text", "words")

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.words: dict[str, int | None] = {}
        for term, number in tokens:
            self.words.setdefault(term, number)
        meant = {number for term, number in self.words.items() if is_marker(term)}
        self.explained = {term for term, number in self.words.items() if number in meant and not is_marker(term)}

    def typed(self, terms: Iterable[str]) -> list[str]:
        """The same terms, with the first word that it stands for in the place of each concept."""
        first = {number: term for term, number in reversed(self.words.items()) if not is_marker(term)}
        return [str(first.get(self.words[term], term)) if is_marker(term) else term for term in terms]

    def count_words(self, terms: Iterable[str]) -> int:
        """How many separate words these terms of the passage stand for."""
        numbers = {self.words[term] for term in terms}
        return count_words(number for number in numbers if number is not None)


def clip_prompt(prompt: str) -> str:
    """Of a huge prompt the two ends, which is all that is searched with."""
    if len(prompt) <= MAX_PROMPT_CHARS:
        return prompt
    half = MAX_PROMPT_CHARS // 2
    return f"{prompt[:half]}\n{prompt[-half:]}"


def cut_passages(prompt: str) -> list[Passage]:
    prompt = clip_prompt(prompt)
    sentences = [(text, tokenize(text)) for text in _sentences(prompt)]
    if sum(_word_count(tokens) for _, tokens in sentences) <= PASSAGE_WORDS:
        return [whole_prompt(prompt)]
    passages = [Passage(text, window) for text, tokens in sentences for window in _windows(tokens)]
    return list({frozenset(passage.words): passage for passage in passages if passage.words}.values())


def whole_prompt(prompt: str) -> Passage:
    """The prompt as one passage, however long it is, with the concepts that its words stand for."""
    return Passage(prompt, tokenize_with_concepts(prompt))


def _word_count(tokens: list[Token]) -> int:
    return len({number for _, number in tokens if number is not None})


def _sentences(prompt: str) -> list[str]:
    for mark in SENTENCE_ENDS:
        prompt = prompt.replace(mark, f"{mark}\n")
    return prompt.splitlines()


def _windows(tokens: list[Token]) -> Iterator[list[Token]]:
    """Windows of PASSAGE_WORDS tokens, each half over the one before; a short sentence is one window."""
    step = PASSAGE_WORDS // 2
    for start in range(0, max(len(tokens) - step, 1), step):
        yield tokens[start : start + PASSAGE_WORDS]
