"""Form fields for the lists of a rule: a phrase a line, a language a line, instead of JSON."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

LANGUAGE_MARK = ":"  # English: word, other word
TERM_MARKS = dict.fromkeys(map(ord, "\N{FULLWIDTH COMMA}\N{IDEOGRAPHIC COMMA}\N{FULLWIDTH SEMICOLON};"), ",")


class PhrasesField(forms.CharField):
    """Lines > a list of phrases."""

    widget = forms.Textarea

    def prepare_value(self, value: Any) -> Any:  # Any: what a model or a browser gives
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        if isinstance(value, list):
            return value
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]

    def validate(self, value: Any) -> None:
        """What is allowed is for rules.drafts to say."""

    def run_validators(self, value: Any) -> None:
        """CharField's own are for text."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(initial) != self.to_python(data))


class TermsField(PhrasesField):
    """Lines such as `en: force push, rewrite` > words by language."""

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return "\n".join(f"{language}{LANGUAGE_MARK} {', '.join(terms)}" for language, terms in value.items())

    def to_python(self, value: Any) -> Any:
        if isinstance(value, dict):
            return value
        table: dict[str, list[str]] = {}
        for line in str(value or "").replace("\N{FULLWIDTH COLON}", LANGUAGE_MARK).splitlines():
            if not line.strip():
                continue
            language, mark, terms = line.partition(LANGUAGE_MARK)
            if not mark or not language.strip():
                raise ValidationError(_("Begin each line with a language, such as “en: force push, rewrite”."))
            words = [term.strip() for term in terms.translate(TERM_MARKS).split(",")]
            table[language.strip()] = [*table.get(language.strip(), []), *filter(None, words)]
        return table
