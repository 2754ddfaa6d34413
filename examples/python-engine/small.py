"""A part of the contract in front of an engine that exists already: it is halted as a whole, and its positions are read."""

import asyncio

from contract import rejected
from decimals import decimal_text
from engine import arguments
from server import run

PROJECTION = "Account/Symbol"


class Desk:
    """Stands for your engine, whatever it is called there."""

    def __init__(self):
        self.is_running = True
        self.why = None
        self.book = {("GOLD", "AAPL"): (100.0, 187.2500000001), ("SILVER", "MSFT"): (-40.0, 402.1)}


class Adapter:
    """One method for each operation. Parameters have the names of the contract and their types."""

    def __init__(self, desk):
        self._desk = desk

    def status(self, projectionPath: str):
        root_only(projectionPath)
        return {"projectionPath": projectionPath, "halted": not self._desk.is_running, "reason": self._desk.why}

    def halt(self, projectionPath: str, reason: str, cancelOrders: bool):
        # Where there are orders, cancelOrders asks for their cancellation.
        self._switch(projectionPath, False, reason)

    def resume(self, projectionPath: str, reason: str):
        self._switch(projectionPath, True, reason)

    def positions(self, projection: str, account: str = None, symbol: str = None):
        if projection != PROJECTION:
            raise rejected(f'"{projection}" is not a position projection; configured is: {PROJECTION}')
        return [
            told(*node, *values)
            for node, values in self._desk.book.items()
            if account in (None, node[0]) and symbol in (None, node[1])
        ]

    def _switch(self, path, is_running, why):
        root_only(path)
        self._desk.is_running, self._desk.why = is_running, why


def root_only(path):
    if path:
        raise rejected("only the whole system can be halted")


def told(account, symbol, size, cost):
    """A position. What this engine does not know is None."""
    unknown = dict.fromkeys(("realizedPnL", "unrealizedPnL", "marketValue", "totalCommission"))
    return {
        "projection": f"Account[{account}]/Symbol[{symbol}]",
        "account": account,
        "symbol": symbol,
        "size": decimal_text(size),
        "averageCost": decimal_text(cost, places=4),
        **unknown,
        "openBuySize": "0",
        "openSellSize": "0",
    }


def operations_of(adapter):
    operations = {
        "getTradingStatus": adapter.status,
        "haltTrading": adapter.halt,
        "resumeTrading": adapter.resume,
        "listPositions": adapter.positions,
        "describeEngine": lambda: {
            "name": "Desk",
            "operations": list(operations),
            "haltKeys": [],
            "projectionKeys": PROJECTION.split("/"),
            "positionProjections": [PROJECTION],
            "riskTables": [],
            "gatewayTypes": [],
        },
    }
    return operations


if __name__ == "__main__":
    host, port, token, _ = arguments()
    asyncio.run(run(host, port, token, operations_of(Adapter(Desk()))))
