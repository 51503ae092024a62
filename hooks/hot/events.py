"""HookEvent: what a host told one hook call, in Nokori's words. Reply: what the call answers. Plain values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_OUTPUT = 9_499  # characters of one call's whole text; hosts cut or file away what is over 10,000
CLAUDE, CODEX, CURSOR = "claude", "codex", "cursor"  # others that speak Claude Code's contract go under its name
NO_SESSION = "-"  # the session id of a host that sends none


class HookEvent:
    """One event of a host. Text is "" where the host sent none.

    `oddities` names the fields whose value was no text where text belongs.
    """

    __slots__ = (
        "_words",
        "agent_id",
        "cwd",
        "event",
        "host",
        "oddities",
        "prompt",
        "prompt_id",
        "reason",
        "session_id",
        "source",
        "tool_input",
        "tool_name",
        "tool_use_id",
        "transcript_path",
    )

    def __init__(  # noqa: PLR0913  a plain value
        self,
        *,
        event: str,
        host: str = CLAUDE,
        session_id: str = NO_SESSION,
        cwd: str = "",
        prompt_id: str = "",
        prompt: str = "",
        tool_name: str = "",
        tool_input: Mapping[str, object] | None = None,
        tool_use_id: str = "",
        agent_id: str = "",
        transcript_path: str = "",
        source: str = "",
        reason: str = "",
        oddities: tuple[str, ...] = (),
    ) -> None:
        self.event = event
        self.host = host
        self.session_id = session_id
        self.cwd = cwd
        self.prompt_id = prompt_id
        self.prompt = prompt
        self._words: str | None = None
        self.tool_name = tool_name
        self.tool_input = tool_input or {}
        self.tool_use_id = tool_use_id
        self.agent_id = agent_id
        self.transcript_path = transcript_path
        self.source = source
        self.reason = reason
        self.oddities = oddities

    @property
    def words(self) -> str:
        """The words of the prompt that a person typed; "" when a machine wrote it."""
        if self._words is None:
            from extraction.transcript import human_words  # noqa: PLC0415  a tool call does without

            self._words = human_words(self.prompt)
        return self._words

    @property
    def is_machine_text(self) -> bool:
        """No person typed it: a machine did, or an agent to its sub-agent."""
        return not self.words or bool(self.agent_id)

    def as_prompt(self, words: str) -> HookEvent:
        """The prompt that this event follows, as its own hook would have told it."""
        return HookEvent(
            event="user-prompt-submit",
            host=self.host,
            session_id=self.session_id,
            cwd=self.cwd,
            prompt_id=self.prompt_id,
            prompt=words,
            transcript_path=self.transcript_path,
        )

    @property
    def has_session(self) -> bool:
        return self.session_id != NO_SESSION

    @property
    def prompt_key(self) -> str:
        """What tells the prompts of one session apart: the host's id, else a hash of the prompt."""
        return self.prompt_id or _hash(self.prompt)


class Reply:
    """What the host is to do: take text into the agent's context, or not run a tool. Nothing at all is a pass."""

    __slots__ = ("context", "deny_reason")

    def __init__(self, *, context: str = "", deny_reason: str = "") -> None:
        self.context = context
        self.deny_reason = deny_reason


PASS = Reply()


def _hash(text: str) -> str:
    import zlib  # noqa: PLC0415  today's clients send an id

    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
