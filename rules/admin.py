"""Rules in Django's admin: words can be edited, the status only moves by actions along the allowed ways.

A rule is retired, never deleted, so that it is not learned again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from rules.admin_parts import ObservationAdmin
from rules.authoring import add_rule, edit_rule, move_by_hand, take_back_dismissal
from rules.drafts import RuleDraft
from rules.forms import WORDS, RuleForm
from rules.lifecycle import Mover, Status
from rules.models import Evidence, Injection, Rule, ShadowHit, StatusChange
from rules.refusals import RuleRefused

if TYPE_CHECKING:
    from django.db.models import Model
    from django.forms import ModelForm
    from django.http import HttpRequest

    from rules.models import RuleQuerySet

    RuleModelAdmin = admin.ModelAdmin[Rule]
    RuleInline = admin.TabularInline[Any, Rule]
else:
    RuleModelAdmin = admin.ModelAdmin  # these have no type parameters when they run
    RuleInline = admin.TabularInline

LIFE = (
    *("short_id", "status", "status_since", "archived_reason", "superseded_by", "project_scope", "evidence_score"),
    *("hit_count", "last_hit", "shadow_hit_count", "manual_edit", "quote", "created_at", "updated_at", "activated_at"),
)


class _ReadOnlyInline(RuleInline):
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class HistoryInline(_ReadOnlyInline):
    model = StatusChange
    ordering = ("at",)
    verbose_name_plural = _("history")


class EvidenceInline(_ReadOnlyInline):
    model = Evidence
    ordering = ("at",)
    verbose_name_plural = _("evidence")


@admin.register(Rule)
class RuleAdmin(RuleModelAdmin):
    form = RuleForm
    fields = (*WORDS, *LIFE)
    readonly_fields = LIFE
    inlines = (HistoryInline, EvidenceInline)
    list_display = ("short_id", "trigger", "status", "source_type", "confidence", "project_scope", "hit_count")
    list_filter = ("status", "source_type", "confidence", "project_scope")
    search_fields = ("short_id", "trigger", "action", "trigger_zh", "action_zh")
    ordering = ("-updated_at",)
    actions = ("put_in_use", "lay_to_rest", "dismiss", "take_back")
    list_per_page = 50
    show_full_result_count = False

    def get_readonly_fields(self, request: HttpRequest, obj: Rule | None = None) -> tuple[str, ...]:
        return (*LIFE, "project_id") if obj else LIFE  # moving a rule to another project is promotion's business

    def has_delete_permission(self, request: HttpRequest, obj: Rule | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Rule, form: ModelForm[Rule], change: bool) -> None:
        columns = {name: form.cleaned_data[name] for name in form.changed_data}
        if change:
            edit_rule(Rule.objects.get(pk=obj.pk), columns, now=timezone.now())
        else:
            obj.pk = add_rule(RuleDraft(**form.cleaned_data), by=Mover.PAGE, now=timezone.now()).pk
        obj.refresh_from_db()

    @admin.action(description=_("Put in use"))
    def put_in_use(self, request: HttpRequest, queryset: RuleQuerySet) -> None:
        self._move(request, queryset, Status.ACTIVE)

    @admin.action(description=_("Lay to rest"))
    def lay_to_rest(self, request: HttpRequest, queryset: RuleQuerySet) -> None:
        self._move(request, queryset, Status.DORMANT)

    @admin.action(description=_("Dismiss"))
    def dismiss(self, request: HttpRequest, queryset: RuleQuerySet) -> None:
        self._move(request, queryset, Status.ARCHIVED)

    @admin.action(description=_("Take back the dismissal"))
    def take_back(self, request: HttpRequest, queryset: RuleQuerySet) -> None:
        taken = sum(take_back_dismissal(rule, by=Mover.PAGE, now=timezone.now()) for rule in queryset)
        messages.success(request, gettext("%(count)d taken back.") % {"count": taken})

    def _move(self, request: HttpRequest, rules: RuleQuerySet, target: Status) -> None:
        moved = 0
        for rule in rules:
            try:
                moved += move_by_hand(rule, target, by=Mover.PAGE, now=timezone.now())
            except RuleRefused as refused:
                messages.error(request, refused.said(gettext))
        words = gettext("%(count)d moved to %(status)s.")
        messages.success(request, words % {"count": moved, "status": gettext(target)})


@admin.register(Evidence)
class EvidenceAdmin(ObservationAdmin):
    list_display = ("rule", "kind", "points", "day", "project_id", "session_id")
    list_filter = ("kind",)
    search_fields = ("^rule__short_id", "=session_id")
    list_select_related = ("rule",)
    ordering = ("-pk",)


@admin.register(Injection)
class InjectionAdmin(ObservationAdmin):
    list_display = ("at", "level", "rule", "is_full", "project_id", "session_id")
    list_filter = ("level", "is_full")
    search_fields = ("^rule__short_id", "=session_id")
    list_select_related = ("rule",)
    ordering = ("-at",)


@admin.register(ShadowHit)
class ShadowHitAdmin(ObservationAdmin):
    list_display = ("rule", "project_id", "day")
    search_fields = ("^rule__short_id", "=project_id")
    list_select_related = ("rule",)
    ordering = ("-pk",)
