"""Whether a model knows the language of a prompt, told by its script; every Latin text counts as known."""

from __future__ import annotations

LOOKED_AT = 2_000  # characters
UNKNOWN_SHARE = 0.25  # of the letters; a name or a term in another script spoils no prompt
KANA = ("\u3040", "\u30ff")
SCRIPTS = (  # first and last character, languages
    ("\u0370", "\u03ff", {"el"}),
    ("\u0400", "\u052f", {"ru", "uk", "bg", "sr", "mk", "be", "kk"}),
    ("\u0590", "\u05ff", {"he", "yi"}),
    ("\u0600", "\u06ff", {"ar", "fa", "ur"}),
    ("\u0900", "\u097f", {"hi", "mr", "ne"}),
    ("\u0e00", "\u0e7f", {"th"}),
    (*KANA, {"ja"}),
    ("\u3400", "\u9fff", {"zh", "ja"}),
    ("\uac00", "\ud7af", {"ko"}),
)


def knows_language(prompt: str, languages: frozenset[str] | None) -> bool:
    """`languages` are ISO codes, None for all."""
    if languages is None or prompt.isascii():
        return True
    letters = [character for character in prompt[:LOOKED_AT] if character.isalpha()]
    is_japanese = any(KANA[0] <= letter <= KANA[1] for letter in letters)
    unknown = sum(not _is_known(letter, languages, is_japanese=is_japanese) for letter in letters)
    return unknown <= UNKNOWN_SHARE * len(letters)


def _is_known(letter: str, languages: frozenset[str], *, is_japanese: bool) -> bool:
    for first, last, written in SCRIPTS:
        if first <= letter <= last:
            return "ja" in languages if is_japanese and "ja" in written else bool(languages & written)
    return True
