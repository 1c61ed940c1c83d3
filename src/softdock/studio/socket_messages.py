"""Checks of web socket messages: only what the pages of the studio send reaches the server.

A page sends Engine.IO packets (one digit) that contain Socket.IO packets (another digit) with events in JSON.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_MESSAGE = 1_000_000
"""Characters of one message; the text of a scenario in the editor is the longest."""
_CONTROL = re.compile(r"1|[23](?:probe)?|5|6|40(?:\{\})?|41")
"""Closing, ping and pong, upgrade, connecting and disconnecting of the default namespace."""
_EVENT = re.compile(r"42[0-9]{0,9}(\[.*\])", re.DOTALL)
_ANSWER = re.compile(r"43[0-9]{1,9}(\[.*\])", re.DOTALL)

Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53


def _is_argument(value: Any) -> bool:
    """Return whether an argument of an event is JSON in a text, or nothing."""
    return value is None or (isinstance(value, str) and _parse(value) is not _INVALID)


_LEVELS = ("debug", "info", "warning", "error")
_FIELDS: Mapping[str, Mapping[str, Check]] = {
    "handshake": {"client_id": _is_text, "tab_id": _is_text, "document_id": _is_text},
    "event": {
        "client_id": _is_text,
        "id": _is_number,
        "listener_id": _is_text,
        "args": lambda value: isinstance(value, list) and all(map(_is_argument, value)),
    },
    "javascript_response": {"client_id": _is_text, "request_id": _is_text},
    "ack": {"client_id": _is_text, "next_message_id": _is_number},
    "log": {"client_id": _is_text, "level": lambda value: value in _LEVELS, "message": _is_text},
}
"""Required fields of the events by name."""
_OPTIONAL: Mapping[str, Check] = {
    "old_tab_id": lambda value: value is None or _is_text(value),
    "next_message_id": lambda value: value is None or _is_number(value),
}
_INVALID = object()


def is_well_formed(text: str | None) -> bool:
    """Return whether a message is one that a page sends; pages send no binary messages."""
    if text is None or len(text) > LARGEST_MESSAGE:
        return False
    if _CONTROL.fullmatch(text):
        return True
    if answer := _ANSWER.fullmatch(text):
        return _parse(answer[1]) is not _INVALID
    event = _EVENT.fullmatch(text)
    return event is not None and _is_event(_parse(event[1]))


def _is_event(data: Any) -> bool:
    if not isinstance(data, list) or len(data) != 2 or not isinstance(data[1], dict):
        return False
    name, fields = data
    required = _FIELDS.get(name) if isinstance(name, str) else None
    if required is None:
        return False
    checks = {**_OPTIONAL, **required}
    return required.keys() <= fields.keys() and all(
        checks[key](value) for key, value in fields.items() if key in checks
    )


def _parse(text: str) -> Any:
    """Return the content of strict JSON, or `_INVALID`."""
    try:
        text.encode()
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return _INVALID


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


async def forward_messages(app: "ASGIApp", scope: "Scope", receive: "Receive", send: "Send") -> None:
    """Serve a web socket; one that sends a malformed message is closed."""
    closed = False

    async def receive_checked() -> "Message":
        nonlocal closed
        message: Message = {"type": "websocket.disconnect", "code": 1008}
        if closed:
            return message
        message = await receive()
        if message["type"] == "websocket.receive" and not is_well_formed(message.get("text")):
            await send_open({"type": "websocket.close", "code": 1008, "reason": "Unknown message."})
            message = {"type": "websocket.disconnect", "code": 1008}
        closed = closed or message["type"] == "websocket.disconnect"
        return message

    async def send_open(message: "Message") -> None:
        """Send unless the connection is closed, also by the other side while an answer was on its way."""
        nonlocal closed
        if closed:
            return
        closed = message["type"] == "websocket.close"
        try:
            await send(message)
        except Exception:  # the exception depends on the implementation of the server
            closed = True

    await app(scope, receive_checked, send_open)
