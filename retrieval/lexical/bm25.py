"""How much a rule has in common with a prompt: BM25, held against the rule's own weight.

    idf(t)      = ln(1 + (n - f + .5) / (f + .5)), n = rules and off-topic prompts that have words in the script of t, at
                  least MIN_POPULATION, f = those of them that hold t; a single CJK character counts half
    bm25(q, d)  = sum over t in q of idf(t) * c (K1 + 1) / (c + K1 (1 - B + B len(d) / average length)), c = count of t in d
    evidence    = bm25 / norm(d), norm(d) = T ** (1/3), T = sum of idf over the distinct terms of d
Evidence is a plain sum over terms, so that an index can store the summands and skip exactly what cannot matter.
"""

from __future__ import annotations

from math import log

K1 = 1.2  # the usual values; nothing in the labelled sets asks for others
B = 0.75
NORM_EXPONENT = 1 / 3  # between none (long rules win) and 1/2 (short ones do)
MIN_POPULATION = 50  # texts; the first rules in a script that no other text is in must be found, too
SINGLE_CHARACTER_SHARE = 0.5  # one CJK character says about half of what a word says


def idf(term: str, *, frequency: int, population: int) -> float:
    """`population`: the texts in the term's script. Among all texts, "do" would look rare in a language that few use."""
    texts = max(population, frequency, MIN_POPULATION)
    rarity = log(1 + (texts - frequency + 0.5) / (frequency + 0.5))
    return rarity * SINGLE_CHARACTER_SHARE if len(term) == 1 else rarity


def saturation(repeats: int, *, relative_length: float) -> float:
    """What `repeats` occurrences are worth in a rule of this length, 1 being the average."""
    return repeats * (K1 + 1) / (repeats + K1 * (1 - B + B * relative_length))


def norm(total_idf: float) -> float:
    return float(max(total_idf, 1.0) ** NORM_EXPONENT)
