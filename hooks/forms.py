"""What the pages of the hooks are asked: a prompt to try, and which injections to list."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from hooks.known_projects import project_choices
from hooks.schemas import MAX_PROMPT
from rules.drafts import MAX_PROJECT_ID
from rules.lifecycle import Level

MAX_ID = 255


class PromptForm(forms.Form):
    prompt = forms.CharField(
        label=_("Prompt"),
        max_length=MAX_PROMPT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "data-search": "", "autofocus": ""}),
    )
    project = forms.CharField(label=_("Project"), required=False, max_length=MAX_PROJECT_ID)
    by_words_alone = forms.BooleanField(label=_("By words alone"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["project"].widget = forms.Select(choices=[("", _("none: global rules only")), *project_choices()])


class InjectionForm(forms.Form):
    """Whatever is not a wish that makes sense counts as none."""

    level = forms.ChoiceField(choices=[(level, level) for level in Level], required=False)
    session = forms.CharField(max_length=MAX_ID, required=False)
    rule = forms.CharField(max_length=MAX_ID, required=False)
    project = forms.CharField(max_length=MAX_ID, required=False)
