import pytest
from django.urls import reverse

from hooks.models import AgentSession, GateDecision, HookFailure
from tests.factories import NOW

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(AgentSession(session_id="s1", host="claude", started_at=NOW, last_activity=NOW), id="session"),
        pytest.param(GateDecision(session_id="s1", answer="deny", at=NOW, note_id="n1"), id="decision"),
        pytest.param(HookFailure(event="pre-tool-use", error="OSError", at=NOW, note_id="n1"), id="failure"),
    ],
)
def test_what_hooks_wrote_is_only_looked_at(pages, row):
    row.pk = None
    row.save()
    name = f"admin:hooks_{row._meta.model_name}"

    assert pages.get(reverse(f"{name}_changelist"), {"q": "s1"}).status_code == 200
    assert pages.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
    assert pages.get(reverse(f"{name}_add")).status_code == 403
