"""The one table of settings: name, environment variable, place in config.toml, kind, default and what is allowed.

The configuration, the hooks, config.toml.example, the README and the config page all read this table.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Value = bool | int | float | str

TRUE_WORDS = ("1", "true", "yes", "on")
FALSE_WORDS = ("0", "false", "no", "off", "")
AUTOMATIC, ON, OFF = "auto", "on", "off"  # what a switch may be
MAX_TEXT = 4096  # characters of any free-text setting
MAX_REGEX = 512  # characters; the original's limit for [gate] matcher
TOOL_MATCHER = "Edit|Write|MultiEdit|Bash|PowerShell|NotebookEdit|Shell|Delete|Grep|Task|apply_patch"


class SettingError(ValueError):
    """A setting has a value that is not allowed."""

    def __init__(self, **facts: str) -> None:
        self.facts = facts
        super().__init__("{setting} = {value} is not allowed; use {allowed}.".format(**facts))


class Field:
    """One setting. `toml` is the dotted place in config.toml, empty for a variable that has none."""

    __slots__ = (
        "choices",
        "default",
        "doc",
        "env",
        "kind",
        "minimum",
        "name",
        "secret",
        "toml",
    )

    def __init__(  # noqa: PLR0913  one row of a table
        self,
        name: str,
        kind: str,
        default: Value,
        doc: str,
        *,
        toml: str | None = None,
        env: str | None = None,
        minimum: int = 0,
        choices: tuple[str, ...] = (),
        secret: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind  # bool, switch, int, float, str, choice, word, regex or url
        self.default = default
        self.doc = doc
        self.toml = name if toml is None else toml
        self.env = env or "NOKORI_" + name.upper()
        self.minimum = minimum
        self.choices = choices
        self.secret = secret

    @property
    def may_hide_secret(self) -> bool:
        """An address may carry a password."""
        return self.secret or self.kind == "url"

    @property
    def allowed(self) -> str:
        """What a value may be, as the end of the sentence "... is not allowed; use "."""
        if self.kind in ("int", "float"):
            return f"a {'whole ' if self.kind == 'int' else ''}number, {self.minimum} or more"
        return {
            "bool": "1, true, yes, on or 0, false, no, off",
            "switch": f"1, true, yes, on; 0, false, no, off; or {AUTOMATIC}",
            "choice": " or ".join(self.choices),
            "word": "one word without spaces",
            "regex": f"a Python regular expression of at most {MAX_REGEX} characters",
            "url": "an http:// or https:// address, or nothing",
            "str": f"text of at most {MAX_TEXT} characters",
        }[self.kind]


FIELDS = (
    Field("max_injection_chars", "int", 1500, "Most characters of rule text in one prompt's context; 0 injects nothing."),
    Field("dismiss_phrase", "word", "dismiss", "The chat verb that retires a rule: verb, space, short_id, alone on its line."),
    Field("log_level", "choice", "warn", "Least level that is logged.", choices=("debug", "info", "warn", "warning", "error")),
    Field("strict", "bool", False, "Let a hook's error through: traceback, exit 1, nothing on stdout. For debugging."),
    Field("disabled", "bool", False, "Switch Nokori off: every hook passes."),
    Field("hook_coalesce", "bool", True, "When two registrations see one event, only the first answers."),
    Field("gate_enabled", "bool", True, "Block one tool call when a high-risk rule is HOT.", toml="gate.enabled"),
    Field("gate_ttl_seconds", "int", 600, "Age at which a marker no longer blocks; 0 = never expires.", toml="gate.ttl_seconds"),
    Field("gate_matcher", "regex", TOOL_MATCHER, "Tools that the hook may block: matched against the whole tool_name.", toml="gate.matcher"),
    Field("gate_batch_window_ms", "int", 700, "Calls within this time of the first deny are denied with it.", toml="gate.batch_window_ms"),
    Field("extract_mode", "choice", "manual", "When finished sessions are extracted.", toml="extract.mode", choices=("manual", "async")),
    Field("extract_defer_active", "bool", False, "In async mode, wait until no other session is open.", toml="extract.defer_when_active"),
    Field("extract_max_rules", "int", 3, "Most rules that one reading of a transcript may propose.", toml="extract.max_rules", minimum=1),
    Field("extract_max_tokens", "int", 30000, "Most tokens of a transcript that the model is shown, about.", toml="extract.max_tokens", minimum=500),
    Field("extract_assistant_head", "int", 200, "Characters kept of the beginning of an agent's message.", toml="extract.assistant_head"),
    Field("extract_assistant_tail", "int", 100, "Characters kept of its end.", toml="extract.assistant_tail"),
    Field("session_idle_seconds", "int", 1800, "A session silent for longer counts as inactive.", toml="session.idle_seconds", minimum=60),
    Field("hot_cache", "bool", True, "Show the previous session's last messages at session start.", toml="hot_cache.enabled"),
    Field("promotion_enabled", "bool", True, "Shadow pool and promotion to global.", toml="promotion.enabled"),
    Field("isolate_worktrees", "bool", False, "Give every git worktree a project id of its own.", toml="project.isolate_worktrees"),
    Field("llm_base_url", "url", "", "OpenAI-compatible chat completions endpoint.", toml="llm.base_url"),
    Field("llm_model", "str", "", "Model for extraction.", toml="llm.model"),
    Field("llm_api_key", "str", "", "Key for that endpoint.", toml="llm.api_key", secret=True),
    Field("embed_enabled", "switch", "auto", "Embeddings: auto = from 20 rules on, 1 = however few the rules, 0 = never.", toml="embed.enabled"),
    Field("embed_backend", "choice", "auto", "What computes vectors; auto = an endpoint if one is set, else a local model, else the light one.", toml="embed.backend", choices=("auto", "remote", "sentence-transformers", "light", "none")),
    Field("embed_base_url", "url", "", "OpenAI-compatible embeddings endpoint.", toml="embed.base_url"),
    Field("embed_model", "str", "", "Embedding model: its name at the endpoint or on the hub, or a folder; empty = Granite 97M.", toml="embed.model"),
    Field("embed_api_key", "str", "", "Key for that endpoint.", toml="embed.api_key", secret=True),
    Field("embed_dimensions", "int", 0, "Vector length to ask for; 0 = the model's own.", toml="embed.dimensions"),
    Field("embed_languages", "str", "", "Languages that the model knows, such as en, zh, ja; empty = as its card or name tells.", toml="embed.languages"),
    Field("embed_fusion", "choice", "convex", "How the word list and the vector list become one.", toml="embed.fusion", choices=("convex", "rrf")),
    Field("embed_chunk_size", "int", 4000, "Characters in one chunk of a rule's text.", toml="embed.chunk_size", minimum=16),
    Field("embed_chunk_count", "int", 2, "Most chunks of one rule.", toml="embed.chunk_count", minimum=1),
    Field("hook_embed_timeout", "int", 2, "Seconds that the embed server waits for a remote endpoint.", toml="embed.hook_timeout_seconds", minimum=1),
    Field("hook_embed_wait_ms", "int", 0, "Milliseconds that a prompt waits for the embed server; 0 = 120, or 350 with a remote endpoint.", toml="embed.hook_wait_ms"),
    Field("embed_server_idle", "int", 3600, "Seconds without a question after which the embed server ends.", toml="embed.server_idle_seconds", minimum=60),
    Field("embed_server_auto_start", "bool", True, "Start the embed server when it is needed.", toml="embed.server_auto_start"),
    Field("database_url", "str", "", "Another database, for instance postgres://...; empty = rules.db.", toml="database.url", secret=True),
    Field("redis_url", "str", "", "Channel layer for more than one web process; empty = in memory.", toml="redis.url", secret=True),
    Field("data_dir", "str", "~/.nokori", "Data root.", toml=""),
    Field("claude_home", "str", "~/.claude", "Folder of the settings.json that `install` edits; CLAUDE_CONFIG_DIR comes next.", toml=""),
    Field("cursor_home", "str", "~/.cursor", "Folder of the hooks.json that `install` edits.", toml=""),
    Field("codex_home", "str", "~/.codex", "Folder of the hooks.json that `install` edits for Codex; CODEX_HOME comes next.", toml=""),
    Field("transcript_extra_roots", "str", "", "More folders that transcripts may lie in, separated as in PATH.", toml=""),
    Field("extracting", "bool", False, "Internal: set in a child of extraction so that hooks pass. Do not set it.", toml=""),
)  # fmt: skip
BY_NAME = {field.name: field for field in FIELDS}


def parse_setting(field: Field, raw: object, *, source: str) -> Value:
    """The typed value of a raw one (text from the environment, a TOML value from the file).

    source names where it came from in the message of SettingError: the variable or the TOML place.
    """
    try:
        return _convert(field, raw)
    except (ValueError, TypeError, OverflowError):
        is_hidden = field.secret or (field.kind == "url" and "@" in str(raw))
        shown = "(hidden)" if is_hidden else repr(raw)[:80]
        raise SettingError(setting=source, value=shown, allowed=field.allowed) from None


def environment_values(
    environ: Mapping[str, str],
) -> tuple[dict[str, Value], list[str]]:
    """The settings that the environment gives, by name, and one sentence for each bad one.

    An empty variable counts as absent, save for a bool, where it means off.
    """
    values: dict[str, Value] = {}
    problems: list[str] = []
    for field in FIELDS:
        raw = environ.get(field.env)
        if raw is None or (not raw.strip() and field.kind != "bool"):
            continue
        try:
            values[field.name] = parse_setting(field, raw, source=field.env)
        except SettingError as problem:
            problems.append(str(problem))
    return values, problems


def _convert(field: Field, raw: object) -> Value:
    if field.kind == "bool":
        return _to_bool(raw)
    if field.kind == "switch":
        return _to_switch(raw)
    if field.kind in ("int", "float"):
        return _to_number(field, raw)
    if not isinstance(raw, str) or len(raw) > MAX_TEXT:
        raise ValueError(field.name)
    return _to_text(field, raw.strip())


def _to_bool(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    word = str(raw).strip().lower()
    if word not in TRUE_WORDS + FALSE_WORDS:
        raise ValueError(word)
    return word in TRUE_WORDS


def _to_switch(raw: object) -> str:
    if str(raw).strip().lower() == AUTOMATIC:
        return AUTOMATIC
    return ON if _to_bool(raw) else OFF


def _to_number(field: Field, raw: object) -> int | float:
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        raise TypeError(field.name)
    number = int(raw) if field.kind == "int" else float(raw)
    if number != float(raw) or not field.minimum <= number <= 1e12:
        raise ValueError(field.name)
    return number


def _to_text(field: Field, text: str) -> str:
    if field.kind == "choice":
        text = text.lower()
        if text not in field.choices:
            raise ValueError(text)
    if field.kind == "word" and (not text or len(text.split()) != 1):
        raise ValueError(text)
    if field.kind == "url" and text and not text.startswith(("http://", "https://")):
        raise ValueError(text)
    if field.kind == "regex":
        text = ".*" if text == "*" else text
        if len(text) > MAX_REGEX:
            raise ValueError(text)
        _check_regex(text)
    return text


def _check_regex(text: str) -> None:
    import re  # noqa: PLC0415  6 ms, and few set one in the environment

    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(text) from error
