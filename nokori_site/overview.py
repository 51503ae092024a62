"""What `help` prints: Nokori's own verbs in groups, one line each. A verb in no group is listed all the same."""

from __future__ import annotations

from django.core.management import get_commands, load_command_class

from nokori_site.database import OUR_APPS

GROUPS = (
    ("Rules", ("add", "list", "show", "edit", "dismiss", "export", "import")),
    ("What a prompt finds", ("retrieve", "evaluate", "embed")),
    ("Learning", ("extract",)),
    ("Agents", ("install", "hook")),
    ("How things are", ("status", "health", "logs", "web")),
    ("Upkeep", ("settle", "maintain", "reset", "benchmark")),
)
OTHERS = "More"
CLOSING = "{program} VERB --help has the options of one verb; {program} help --all lists Django's verbs as well."


def overview(program: str) -> str:
    ours = {verb: app for verb, app in get_commands().items() if app in OUR_APPS}
    grouped = {verb for _, verbs in GROUPS for verb in verbs}
    groups = [*GROUPS, (OTHERS, tuple(sorted(ours.keys() - grouped)))]
    blocks = [_block(title, [verb for verb in verbs if verb in ours], ours) for title, verbs in groups]
    return "\n\n".join([f"{program} VERB [options]", *filter(None, blocks), CLOSING.format(program=program)])


def _block(title: str, verbs: list[str], apps: dict[str, str]) -> str:
    rows = [f"  {verb:<10} {_summary(apps[verb], verb)}" for verb in verbs]
    return "\n".join([title, *rows]) if rows else ""


def _summary(app: str, verb: str) -> str:
    """The first sentence of its help."""
    words = " ".join(load_command_class(app, verb).help.split())
    return words.partition(". ")[0].removesuffix(".")
