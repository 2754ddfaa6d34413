"""A trading engine for the administrative gateway, with its state in memory. README.md says how to run it."""

import argparse
import asyncio
import hmac
import json
import os
import signal
import time
from http import HTTPStatus
from pathlib import Path

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed, NegotiationError

from contract import Dispatcher
from fix import FixGateways
from positions import Positions
from risk import RiskTables
from trading import KillSwitch, Services

SUBPROTOCOL = "trading-admin.v1"
# A body of 1 MiB, which is what a gateway takes, in its envelope.
MAX_MESSAGE_BYTES = 1024 * 1024 + 64 * 1024
INSTALLATION = Path(__file__).with_name("installation.json")


def operations_of(installation, apply_later):
    """All operations of the contract by name."""
    keys = frozenset(installation["projectionKeys"])
    kill_switch = KillSwitch(keys, apply_later)
    risk = RiskTables(installation["riskTables"])
    positions = Positions(installation["positionProjections"], keys)
    services = Services(installation["services"])
    fix = FixGateways(installation["gateways"])
    operations = {
        "getTradingStatus": kill_switch.status,
        "haltTrading": kill_switch.halt,
        "resumeTrading": kill_switch.resume,
        "getRiskTable": risk.read,
        "updateRiskTable": risk.update,
        "listPositions": positions.list,
        "adjustPosition": positions.adjust,
        "listServices": services.list,
        "getService": services.get,
        "disableService": services.disable,
        "enableService": services.enable,
        "listFixGateways": fix.list,
        "getFixGateway": fix.get,
        "listFixSessions": fix.list_sessions,
        "getFixSession": fix.get_session,
        "disableFixSession": fix.disable,
        "enableFixSession": fix.enable,
        "disconnectFixSession": fix.disconnect,
        # Both are optional: an engine that cannot list all halts, or does not describe itself, is without them.
        "listHalts": kill_switch.list,
        "describeEngine": lambda: description(installation, operations),
    }
    return operations


def description(installation, operations):
    """What gateways and their users are told of this engine."""
    return {
        "name": "Python engine",
        "operations": list(operations),
        "haltKeys": installation["projectionKeys"],
        "projectionKeys": installation["projectionKeys"],
        "positionProjections": installation["positionProjections"],
        "riskTables": [
            {"projection": projection, "limits": table["limits"]}
            for projection, table in installation["riskTables"].items()
        ],
        "gatewayTypes": list(dict.fromkeys(gateway["type"] for gateway in installation["gateways"])),
        "counts": {"connections": True, "messages": True, "bytes": True},
    }


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


async def run(host, port, token, installation):
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopped.set)
    dispatcher = Dispatcher(operations_of(installation, loop.call_soon))

    async def converse(connection):
        # Requests are carried out in the order in which they come; a gateway that does not read is not read either.
        try:
            async for message in connection:
                await connection.send(dispatcher.answer(message, time.monotonic()))
        except ConnectionClosed:
            pass  # The gateway went away and will dial again; what it had asked was done, and its replies are lost.

    async with serve(
        converse,
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


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listen", default="127.0.0.1:8989", metavar="HOST:PORT", help="default: %(default)s")
    parser.add_argument("--token-env", metavar="NAME", help="environment variable that holds the bearer token")
    parser.add_argument("--installation", type=Path, default=INSTALLATION, metavar="FILE")
    given = parser.parse_args()
    host, colon, port = given.listen.rpartition(":")
    if not colon or not port.isdecimal():
        parser.error(f"--listen: must be HOST:PORT, is {given.listen}")
    token = os.environ.get(given.token_env) if given.token_env else None
    if given.token_env and not token:
        parser.error(f"--token-env: the variable {given.token_env} is not set or empty")
    return host.strip("[]"), int(port), token, json.loads(given.installation.read_text(encoding="utf-8"))


if __name__ == "__main__":
    asyncio.run(run(*arguments()))
