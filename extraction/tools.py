"""The configuration > what a pipeline works with. The one place of this app that looks at settings and environment."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import timezone

from extraction.compress import Sizes
from extraction.llm import Llm, choose_llm
from extraction.pipeline import Tools

if TYPE_CHECKING:
    from collections.abc import Mapping


def configured_llm(environ: Mapping[str, str]) -> Llm:
    """Raises LlmNotConfigured."""
    config = settings.NOKORI
    return choose_llm(
        base_url=config.llm_base_url,
        model=config.llm_model,
        api_key=config.llm_api_key,
        environ=environ,
        folder=tempfile.gettempdir(),
    )


def configured_tools(llm: Llm) -> Tools:
    config = settings.NOKORI
    sizes = Sizes(
        max_tokens=config.extract_max_tokens,
        assistant_head_chars=config.extract_assistant_head,
        assistant_tail_chars=config.extract_assistant_tail,
    )
    return Tools(
        llm=llm,
        clock=timezone.now,
        roots=transcript_roots(),
        sizes=sizes,
        limit=config.extract_max_rules,
        isolate_worktrees=config.isolate_worktrees,
    )


def transcript_roots() -> tuple[str, ...]:
    """The folders that transcripts may lie in (README "Environment variables")."""
    config = settings.NOKORI
    extra = config.transcript_extra_roots.split(os.pathsep)
    homes = ("~/.claude", config.claude_home, config.cursor_home, config.codex_home, config.data_dir)
    return tuple(root for root in (*homes, *extra) if root)
