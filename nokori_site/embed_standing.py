"""How matching by meaning stands: on or why not, the server, and how many rules have a vector. For `status`, `health` and pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from hooks.hot.embedding import ENOUGH_RULES
from retrieval.embeddings import control
from retrieval.embeddings.backends import NONE, chosen_backend
from retrieval.models import RuleEmbedding
from rules.fields import OFF, ON
from rules.models import Rule
from rules.wording import counted

if TYPE_CHECKING:
    from nokori_site.config import Config
    from retrieval.embeddings.control import EmbedStatus
    from rules.disk import DataFolder

SWITCHED_OFF = gettext_noop("switched off (embed.enabled)")
NO_BACKEND = gettext_noop("no embedding backend")


@dataclass(frozen=True, kw_only=True)
class EmbedStanding:
    """`why_off` is empty while embeddings are on; `missing` of the `rules` that a search may meet have no vector of the
    model. `knows_model` is False before any server ran."""

    why_off: str
    backend: str
    server: EmbedStatus
    rules: int
    missing: int

    @property
    def knows_model(self) -> bool:
        return bool(self.server.model)

    @property
    def covered(self) -> int:
        """Rules that have a vector."""
        return self.rules - self.missing

    def __str__(self) -> str:
        if self.why_off:
            return f"off: {self.why_off}"
        coverage = f"{self.covered} of {counted(self.rules, 'rule')} with a vector"
        return f"on ({self.backend}), server {self.server.state}; {coverage}"


def look_at_embedding(folder: DataFolder, *, config: Config) -> EmbedStanding:
    """Raises OSError, DatabaseError."""
    server = control.status(folder)
    rules = server.rules if server.rules >= 0 else Rule.objects.published().count()
    backend = chosen_backend(config, models_folder=Path(folder.models))
    return EmbedStanding(
        why_off=why_off(config, backend=backend),
        backend=backend,
        server=server,
        rules=rules,
        missing=server.missing if server.missing >= 0 else rules - _count_encoded(server.model),
    )


def why_off(config: Config, *, backend: str) -> str:
    """Empty while embeddings are on; a prompt goes by the size of the pool that it is matched with, besides."""
    if config.embed_enabled == OFF:
        return SWITCHED_OFF
    if backend == NONE:
        return NO_BACKEND
    rules = Rule.objects.retrievable().count()
    if config.embed_enabled == ON or rules >= ENOUGH_RULES:
        return ""
    known = ngettext("%(count)d rule", "%(count)d rules", rules) % {"count": rules}
    return _("%(rules)s; from %(least)d on by itself (embed.enabled)") % {"rules": known, "least": ENOUGH_RULES}


def _count_encoded(model_id: str) -> int:
    encoded = RuleEmbedding.objects.filter(model_id=model_id)
    return Rule.objects.published().filter(pk__in=encoded.values("rule")).count()
