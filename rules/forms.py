"""The words of a rule as a form: what a person may write on a page, checked as the verbs check it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from rules.drafts import clean_columns
from rules.models import Rule
from rules.refusals import RuleRefused

if TYPE_CHECKING:
    RuleModelForm = forms.ModelForm[Rule]
else:
    RuleModelForm = forms.ModelForm  # has no type parameter when it runs

WORDS = (
    *("trigger", "variants", "action", "rationale", "behavior", "search_terms"),
    *("trigger_zh", "variants_zh", "action_zh", "rationale_zh", "behavior_zh"),
    *("excludes", "tool_pattern", "source_type", "confidence", "project_id"),
)


class RuleForm(RuleModelForm):
    """cleaned_data holds clean columns; a refusal stands beside its field."""

    class Meta:
        model = Rule
        fields = WORDS

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in [name for name in WORDS if name in cleaned]:
            try:
                cleaned |= clean_columns({name: cleaned[name]})
            except RuleRefused as refused:
                self.add_error(name, str(refused))
        return cleaned
