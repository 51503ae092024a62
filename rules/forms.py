"""The words of a rule as a form: what a person may write on a page, checked as the verbs check it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from rules.drafts import (
    MAX_ACTION,
    MAX_PATTERN,
    MAX_PROJECT_ID,
    MAX_REMARK,
    MAX_TRIGGER,
    MIN_TRIGGER,
    clean_columns,
)
from rules.models import Rule
from rules.phrase_fields import PhrasesField, TermsField
from rules.refusals import RuleRefused

if TYPE_CHECKING:
    RuleModelForm = forms.ModelForm[Rule]
else:
    RuleModelForm = forms.ModelForm  # has no type parameter when it runs

WORDS = (
    *("trigger", "action", "rationale", "behavior", "variants", "excludes", "tool_pattern", "search_terms"),
    *("trigger_zh", "action_zh", "rationale_zh", "behavior_zh", "variants_zh"),
    *("source_type", "confidence", "project_id"),
)


def _text(label: Any, *, most: int, required: bool = False, help_text: Any = "", rows: int = 2) -> forms.CharField:
    """Any: lazy strings."""
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, max_length=most, required=required, help_text=help_text, widget=widget)


class RuleForm(RuleModelForm):
    """cleaned_data holds clean columns; a refusal stands beside its field."""

    trigger = forms.CharField(
        label=_("When"),
        min_length=MIN_TRIGGER,
        max_length=MAX_TRIGGER,
        help_text=_("The situation in which the rule holds, as you would tell it."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    action = _text(_("What to do then"), most=MAX_ACTION, required=True)
    rationale = _text(_("Why"), most=MAX_REMARK, help_text=_("Shown with the rule when it is shown in full."))
    behavior = _text(_("What went wrong"), most=MAX_REMARK)
    variants = PhrasesField(
        label=_("Other words for it"), required=False, help_text=_("One a line: how a prompt may put it.")
    )
    excludes = PhrasesField(
        label=_("Silent when a prompt says"),
        required=False,
        help_text=_("One a line: phrases that keep the rule silent."),
    )
    tool_pattern = forms.CharField(
        label=_("Tool pattern"),
        required=False,
        max_length=MAX_PATTERN,
        help_text=_("A regular expression: the gate waits for the tool call that matches."),
    )
    search_terms = TermsField(
        label=_("Search terms"),
        required=False,
        help_text=_("One language a line, such as “en: force push, rewrite”."),
    )
    trigger_zh = _text(_("When, in Chinese"), most=MAX_TRIGGER)
    action_zh = _text(_("What to do then, in Chinese"), most=MAX_ACTION)
    rationale_zh = _text(_("Why, in Chinese"), most=MAX_REMARK)
    behavior_zh = _text(_("What went wrong, in Chinese"), most=MAX_REMARK)
    variants_zh = PhrasesField(label=_("Other words for it, in Chinese"), required=False)

    class Meta:
        model = Rule
        fields: tuple[str, ...] = WORDS
        labels = {
            "source_type": _("Type"),
            "confidence": _("Confidence"),
            "project_id": _("Project"),
        }
        help_texts = {
            "source_type": _("A correction of high confidence is in use at once and may stop a tool call."),
            "project_id": _("Empty: the rule holds in every project."),
        }
        widgets = {"project_id": forms.TextInput(attrs={"list": "projects", "maxlength": MAX_PROJECT_ID})}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in [name for name in self.fields if name in cleaned]:
            try:
                cleaned |= clean_columns({name: cleaned[name]})
            except RuleRefused as refused:
                self.add_error(name, refused.said(gettext))
        return cleaned

    def changed_words(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data}


class RuleEditForm(RuleForm):
    """Without the project: moving a rule to another is promotion's business."""

    class Meta(RuleForm.Meta):
        fields = tuple(name for name in WORDS if name != "project_id")
