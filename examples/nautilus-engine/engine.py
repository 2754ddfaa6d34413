"""A running NautilusTrader node behind the administrative gateway, on the pieces of ../python-engine. README.md says how to run it."""

import argparse
import asyncio
import os
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from nautilus_trader.adapters.sandbox.config import SandboxExecutionClientConfig
from nautilus_trader.adapters.sandbox.factory import SandboxLiveExecClientFactory
from nautilus_trader.config import LoggingConfig, StrategyConfig, TradingNodeConfig
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.data import QuoteTick
from nautilus_trader.model.enums import OrderSide, TradingState
from nautilus_trader.model.identifiers import InstrumentId
from nautilus_trader.test_kit.providers import TestInstrumentProvider
from nautilus_trader.trading.strategy import Strategy

sys.path.append(str(Path(__file__).parent.parent / "python-engine"))

from contract import not_found, rejected  # noqa: E402
from decimals import decimal_text, read_decimal  # noqa: E402
from order import engine_time  # noqa: E402
from risk import RiskTables  # noqa: E402
from server import run  # noqa: E402

VENUE = "SIM"
PROJECTION = "Symbol"
LIMIT = "MaxOrderNotional"
# The risk engine takes positive limits only; no order is as small as this, so it refuses all of them as zero does.
SMALLEST = Decimal("1e-9")
INSTRUMENTS = [TestInstrumentProvider.default_fx_ccy(symbol) for symbol in ("EUR/USD", "AUD/USD")]


class Halt:
    """The trading state of the risk engine: it halts the whole system, and keeps no reason."""

    def __init__(self, node):
        self._risk, self._cache, self._trader = node.kernel.risk_engine, node.cache, node.trader
        self._reason = self._since = None

    def status(self, projectionPath: str):
        root_only(projectionPath)
        # REDUCING takes some orders only, so it is halted; which state it is stands in the reason.
        state = self._risk.trading_state
        reason = "reducing: orders that increase a position are denied" if state == TradingState.REDUCING else self._reason
        return {"projectionPath": projectionPath, "halted": state != TradingState.ACTIVE, "reason": reason}

    def list(self):
        status = self.status("")
        since = self._since if self._risk.trading_state == TradingState.HALTED else None
        return [{"projectionPath": "", "reason": status["reason"], "since": since}] if status["halted"] else []

    def halt(self, projectionPath: str, reason: str, cancelOrders: bool):
        root_only(projectionPath)
        self._set(TradingState.HALTED, reason)
        strategies = {strategy.id: strategy for strategy in self._trader.strategies()}
        for order in self._cache.orders_open() if cancelOrders else ():
            strategies[order.strategy_id].cancel_order(order)

    def resume(self, projectionPath: str, reason: str):
        root_only(projectionPath)
        self._set(TradingState.ACTIVE, reason)

    def _set(self, state, reason):
        # A halt that is repeated is one since the first.
        if self._risk.trading_state != state:
            self._since = int(engine_time())
        self._risk.set_trading_state(state)
        self._reason = reason


def root_only(path):
    if path:
        raise rejected(f'"{path}": only the whole system can be halted')


class Limits(RiskTables):
    """The largest notional of an order, for each instrument. The table is this program's; the risk engine enforces it."""

    def __init__(self, node):
        super().__init__({PROJECTION: {"limits": [LIMIT], "rows": []}})
        self._risk, self._cache = node.kernel.risk_engine, node.cache
        self._known = {str(item.id): item.id for item in node.cache.instruments()}

    def update(self, projection: str, commands: list):
        for command in commands if projection == PROJECTION else ():
            symbol = command.get("conditions", {}).get("Symbol")
            if symbol is not None:
                self._known_and_enforced(symbol)
        table = super().update(projection, commands)
        limits = {row["conditions"]["Symbol"]: row["limits"][LIMIT] for row in table["rows"]}
        for symbol, instrument in self._known.items():
            limit = limits.get(symbol)
            self._risk.set_max_notional_per_order(instrument, None if limit is None else max(read_decimal(LIMIT, limit), SMALLEST))
        return table

    def _known_and_enforced(self, symbol):
        if symbol not in self._known:
            raise rejected(f'"{symbol}" is not an instrument; there are {", ".join(self._known)}')
        # Without an account, or with one on margin, the risk engine takes a limit and lets every order pass.
        account = self._cache.account_for_venue(self._known[symbol].venue)
        if account is None or account.is_margin_account:
            raise rejected(f'"{symbol}": NautilusTrader enforces limits on cash accounts only')


class Positions:
    """Net positions by instrument, out of the cache and the portfolio."""

    def __init__(self, node):
        self._cache, self._portfolio = node.cache, node.portfolio

    def list(self, projection: str, **filters: str):
        if projection != PROJECTION:
            raise rejected(f'"{projection}" is not a position projection; configured is {PROJECTION}')
        for name in filters.keys() - {"symbol"}:
            raise rejected(f'filter "{name}" does not apply, only this does: symbol')
        ids = [item.id for item in self._cache.instruments() if filters.get("symbol", str(item.id)) == str(item.id)]
        return [self._tell(instrument) for instrument in ids]

    def _tell(self, instrument):
        places = self._cache.instrument(instrument).price_precision
        held = self._cache.positions_open(instrument_id=instrument)
        return {
            "projection": f"Symbol[{instrument}]",
            "symbol": str(instrument),
            "size": decimal_text(self._portfolio.net_position(instrument)),
            # A double: its digits beyond the price's are noise. A sum of several positions has no average.
            "averageCost": decimal_text(held[0].avg_px_open, places=places) if len(held) == 1 else None,
            "realizedPnL": amount(self._portfolio.realized_pnl(instrument)),
            "unrealizedPnL": amount(self._portfolio.unrealized_pnl(instrument)),
            "marketValue": amount(self._portfolio.net_exposure(instrument)),
            # By currency, where a sum would be wrong.
            "totalCommission": None,
            "openBuySize": self._open(instrument, OrderSide.BUY),
            "openSellSize": self._open(instrument, OrderSide.SELL),
        }

    def _open(self, instrument, side):
        orders = self._cache.orders_open(instrument_id=instrument, side=side)
        return decimal_text(sum(order.leaves_qty.as_decimal() for order in orders))


def amount(money):
    return None if money is None else decimal_text(money.as_decimal())


class Strategies:
    """Strategies are services: a stopped one sends no orders."""

    def __init__(self, node):
        self._trader = node.trader

    def list(self):
        return [self._tell(strategy) for strategy in self._trader.strategies()]

    def get(self, name: str):
        return self._tell(self._find(name))

    def disable(self, name: str, reason: str):
        strategy = self._find(name)
        if strategy.is_running:
            strategy.stop()

    def enable(self, name: str, reason: str):
        strategy = self._find(name)
        # It ignores the start of a strategy that was stopped.
        if strategy.is_stopped:
            strategy.resume()

    def _find(self, name):
        for strategy in self._trader.strategies():
            if str(strategy.id) == name:
                return strategy
        raise not_found(f'Unknown service "{name}"')

    def _tell(self, strategy):
        name, enabled = str(strategy.id), strategy.is_running
        return {"name": name, "type": "Strategy", "system": False, "dma": False, "enabled": enabled, "status": None}


def operations_of(node):
    halt, limits, positions, strategies = Halt(node), Limits(node), Positions(node), Strategies(node)
    # No adjustPosition, and no FIX: callers are told that the engine does not support it.
    operations = {
        "getTradingStatus": halt.status,
        "haltTrading": halt.halt,
        "resumeTrading": halt.resume,
        "listHalts": halt.list,
        "getRiskTable": limits.read,
        "updateRiskTable": limits.update,
        "listPositions": positions.list,
        "listServices": strategies.list,
        "getService": strategies.get,
        "disableService": strategies.disable,
        "enableService": strategies.enable,
        "listFixGateways": lambda: [],
        "describeEngine": lambda: {
            "name": "NautilusTrader",
            "operations": list(operations),
            "haltKeys": [],
            "projectionKeys": ["Symbol"],
            "positionProjections": [PROJECTION],
            "riskTables": [{"projection": PROJECTION, "limits": [LIMIT]}],
            "gatewayTypes": [],
        },
    }
    return operations


class TakerConfig(StrategyConfig, frozen=True):
    instrument_id: InstrumentId


class Taker(Strategy):
    """Something that trades: each second it buys or sells what it has, and keeps an order resting far from the market."""

    def on_start(self):
        self.clock.set_timer("order", interval=timedelta(seconds=1), callback=self._trade)

    def on_resume(self):
        self.on_start()

    def on_stop(self):
        self.clock.cancel_timers()

    def on_order_denied(self, event):
        print(f"denied {self.id} {event.reason}", flush=True)

    def on_order_filled(self, event):
        print(f"filled {self.id} {event.last_qty}", flush=True)

    def _trade(self, _event):
        instrument = self.cache.instrument(self.config.instrument_id)
        size = instrument.make_qty(1000)
        side = OrderSide.BUY if self.portfolio.is_flat(instrument.id) else OrderSide.SELL
        self.submit_order(self.order_factory.market(instrument.id, side, size))
        if not self.cache.orders_open(strategy_id=self.id):
            price = instrument.make_price(1.05)
            self.submit_order(self.order_factory.limit(instrument.id, OrderSide.BUY, size, price))


def build_node():
    """A node of which each instrument has a taker, on a venue that is simulated in the process."""
    balances = [f"1_000_000 {currency}" for currency in ("USD", "EUR", "AUD")]
    sandbox = SandboxExecutionClientConfig(venue=VENUE, starting_balances=balances, account_type="CASH")
    config = TradingNodeConfig(
        trader_id="NODE-001",
        logging=LoggingConfig(log_level="ERROR"),
        exec_clients={VENUE: sandbox},
        # The takers' resting orders stay, so a node that stops would wait for them in vain.
        timeout_post_stop=1.0,
    )
    node = TradingNode(config)
    node.add_exec_client_factory(VENUE, SandboxLiveExecClientFactory)
    for instrument in INSTRUMENTS:
        node.cache.add_instrument(instrument)
        tag = str(instrument.id.symbol).replace("/", "")
        node.trader.add_strategy(Taker(TakerConfig(instrument_id=instrument.id, order_id_tag=tag)))
    node.build()
    return node


async def quote(node):
    """Prices, as no venue sends any."""
    while True:
        now = node.kernel.clock.timestamp_ns()
        for item in INSTRUMENTS:
            prices = item.make_price(1.1), item.make_price(1.1001)
            node.kernel.data_engine.process(QuoteTick(item.id, *prices, item.make_qty(1e6), item.make_qty(1e6), now, now))
        await asyncio.sleep(0.2)


async def started(node, running):
    """Waits until strategies trade: before that no account is known."""
    while not node.trader.is_running:
        if running.done():
            raise SystemExit("the node did not start")
        await asyncio.sleep(0.05)


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listen", default="127.0.0.1:8989", metavar="HOST:PORT", help="default: %(default)s")
    parser.add_argument("--token-env", metavar="NAME", help="environment variable that holds the bearer token")
    given = parser.parse_args()
    host, _, port = given.listen.rpartition(":")
    token = os.environ[given.token_env] if given.token_env else None
    node = build_node()
    tasks = [asyncio.create_task(node.run_async()), asyncio.create_task(quote(node))]
    try:
        await started(node, tasks[0])
        await run(host.strip("[]"), int(port), token, operations_of(node))
    finally:
        await node.stop_async()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main())
