"""A trading engine for the administrative gateway, with its state in memory. README.md says how to run it."""

import argparse
import asyncio
import json
import os
from pathlib import Path

from fix import FixGateways
from positions import Positions
from risk import RiskTables
from server import run
from trading import KillSwitch, Services

INSTALLATION = Path(__file__).with_name("installation.json")


def operations_of(installation):
    """All operations of the contract by name."""
    keys = frozenset(installation["projectionKeys"])
    kill_switch = KillSwitch(keys)
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
    """What this engine says of itself to gateways and their users."""
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
    operations = operations_of(json.loads(given.installation.read_text(encoding="utf-8")))
    return host.strip("[]"), int(port), token, operations


if __name__ == "__main__":
    asyncio.run(run(*arguments()))
