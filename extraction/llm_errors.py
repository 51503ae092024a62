"""What can go wrong when a model is asked; each message is one sentence and holds neither key nor the server's words."""

from __future__ import annotations


class LlmError(Exception):
    """The model gave no usable answer."""


class LlmNotConfigured(LlmError):
    """There is neither an endpoint nor a `claude` command to ask."""


class LlmUnreachable(LlmError):
    """The connection to the endpoint failed or broke."""


class LlmTimeout(LlmError):
    """The model took longer than it may."""


class LlmKeyRefused(LlmError):
    """The endpoint does not accept the key."""


class LlmBusy(LlmError):
    """The endpoint takes no more requests for now."""


class LlmServerFailed(LlmError):
    """The endpoint failed on its side."""


class LlmRequestRefused(LlmError):
    """The endpoint did not accept the request: most likely the model's name or the address is wrong."""


class LlmReplyEmpty(LlmError):
    """The model answered with nothing."""


class LlmReplyUnreadable(LlmError):
    """The model answered, but not in the JSON that was asked for."""


class LlmCommandFailed(LlmError):
    """The `claude` command ended with an error."""
