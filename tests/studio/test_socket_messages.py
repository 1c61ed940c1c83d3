"""Web socket messages: those of pages pass, all others close the connection without a traceback."""

import asyncio
import json
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from softdock.studio.request_checks import RequestChecks, allowed_hosts
from softdock.studio.socket_messages import LARGEST_MESSAGE, forward_messages, is_well_formed

EVENT = {"id": 3, "client_id": "c", "listener_id": "l", "args": ['{"value": 1}', None]}
HANDSHAKE = {"client_id": "c", "document_id": "d", "tab_id": "t", "old_tab_id": None, "next_message_id": 0}


def packet(name: Any, *fields: Any) -> str:
    return "42" + json.dumps([name, *fields])


@pytest.mark.parametrize(
    "text",
    [
        "2", "3", "2probe", "5", "40", "41", "420" + json.dumps(["handshake", HANDSHAKE]), "431[true]",
        packet("event", EVENT), packet("ack", {"client_id": "c", "next_message_id": 5}),
        packet("javascript_response", {"client_id": "c", "request_id": "r", "result": [1]}),
        packet("log", {"client_id": "c", "level": "warning", "message": "m"}),
    ],
)  # fmt: skip
def test_messages_of_pages_are_accepted(text: str) -> None:
    assert is_well_formed(text)


@pytest.mark.parametrize(
    "text",
    [
        None, "", "0", "4", "42", "42[]", "42{}", "42[1]", "44{}", "451-[]", "46", "b4AAAA", "40/x,{}", "42[", "x" * 10,
        packet("event"), packet("event", EVENT, 1), packet("event", {**EVENT, "client_id": {}}),
        packet("event", {**EVENT, "id": "3"}), packet("event", {**EVENT, "args": ["{"]}), packet("unknown", EVENT),
        packet("event", {**EVENT, "args": {}}), packet(["event"], EVENT), packet("ack", {"client_id": "c"}),
        packet("log", {"client_id": "c", "level": "shout", "message": "m"}), "42" + "[" * 100_000,
        packet("handshake", {**HANDSHAKE, "next_message_id": "x"}), "2" * (LARGEST_MESSAGE + 1),
        '42["log",{"client_id":"c","level":"info","message":NaN}]',
    ],
)  # fmt: skip
def test_other_messages_are_rejected(text: str | None) -> None:
    assert not is_well_formed(text)


def forward(*texts: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Return what the application receives and what its client receives for these messages."""
    received: list[str] = []
    sent: list[dict[str, Any]] = []
    waiting = [
        {"type": "websocket.connect"},
        *({"type": "websocket.receive", "text": text} for text in texts),
    ]

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            received.append(message.get("text", "connect"))
        await send({"type": "websocket.send", "text": "too late"})

    async def receive() -> dict[str, Any]:
        return waiting.pop(0) if waiting else {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Any) -> None:
        if any(one["type"] == "websocket.close" for one in sent):
            raise RuntimeError("the connection is closed")
        sent.append(message)

    asyncio.run(forward_messages(application, {"type": "websocket"}, receive, send))
    return received, sent


def test_a_malformed_message_closes_the_connection() -> None:
    received, sent = forward("40", "42[]", "40")
    assert received == ["connect", "40"]
    assert [(one["type"], one.get("code")) for one in sent] == [("websocket.close", 1008)]


def test_nothing_is_sent_to_a_client_that_is_gone() -> None:
    assert forward("40") == (["connect", "40"], [])


def test_plain_requests_to_the_web_socket_are_refused() -> None:
    """The same messages over plain requests would need the same checks; no page uses them."""
    answers: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        answers.append(message)

    async def fail(*_: Any) -> None:
        raise AssertionError("forwarded")

    scope = {
        "type": "http", "method": "GET", "path": "/_nicegui_ws/socket.io/", "query_string": b"EIO=1e309",
        "headers": [(b"host", b"127.0.0.1:8420")],
    }  # fmt: skip
    asyncio.run(RequestChecks(fail, allowed_hosts("127.0.0.1"))(scope, fail, send))
    assert answers[0]["status"] == 400
