"""A WebSocket server for gateways: takes their requests in the order in which they come, and replies to each when it is done."""

import asyncio
import hmac
import signal
import time
from http import HTTPStatus

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed, NegotiationError

from contract import Dispatcher

SUBPROTOCOL = "trading-admin.v1"
# A body of 1 MiB, eight times what a gateway takes unless it is set, in its envelope.
MAX_MESSAGE_BYTES = 1024 * 1024 + 64 * 1024
# Replies of a connection that wait for its gateway to read.
MAX_UNREAD = 1000


def admission(token):
    """Says of an upgrade request why it is refused; None lets it in. Browsers send Origin and have no business here."""

    def check(connection, request):
        if "Origin" in request.headers:
            return connection.respond(HTTPStatus.FORBIDDEN, "No access for browsers\n")
        given = request.headers.get("Authorization", "")
        if token and not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            return connection.respond(HTTPStatus.UNAUTHORIZED, "A bearer token is needed\n")
        return None

    return check


def choose_subprotocol(connection, offered):
    if SUBPROTOCOL not in offered:
        raise NegotiationError(f"the subprotocol {SUBPROTOCOL} is needed")
    return SUBPROTOCOL


def conversation(dispatcher):
    """What is done with each connection of a gateway."""
    # The event loop keeps no task alive.
    tasks = set()

    async def reply(connection, message, received, places):
        text = await dispatcher.answer(message, received)
        async with places:
            try:
                await connection.send(text)
            except ConnectionClosed:
                pass  # The gateway went away and will dial again; what it had asked was done, and its replies are lost.

    async def converse(connection):
        places = asyncio.Semaphore(MAX_UNREAD)
        try:
            async for message in connection:
                # What was begun is not awaited here: a message is taken when it was read, and from then on its waiting counts.
                task = asyncio.create_task(reply(connection, message, time.monotonic(), places))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                if places.locked():
                    async with places:
                        pass  # A gateway that does not read is not read either.
        except ConnectionClosed:
            pass  # As above.

    return converse


async def run(host, port, token, operations):
    """Serves the operations, functions by the names of the contract, until SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopped.set)
    async with serve(
        conversation(Dispatcher(operations)),
        host,
        port,
        subprotocols=[SUBPROTOCOL],
        select_subprotocol=choose_subprotocol,
        process_request=admission(token),
        compression=None,
        max_size=MAX_MESSAGE_BYTES,
    ) as server:
        address, real_port = server.sockets[0].getsockname()[:2]
        print(f"engine listening on ws://{f'[{address}]' if ':' in address else address}:{real_port}", flush=True)
        await stopped.wait()
