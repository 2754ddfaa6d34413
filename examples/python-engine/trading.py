"""Kill switch, and the services that it does not know of."""

import asyncio

from contract import not_found
from order import engine_time
from paths import read_path


class KillSwitch:
    """Every path has its own state: halting or resuming one leaves all others as they are."""

    def __init__(self, known_keys):
        self._known_keys = known_keys
        self._states = {}

    def status(self, projectionPath: str):
        state = self._states.get(self._node(projectionPath), {"halted": False, "reason": None})
        return {"projectionPath": projectionPath, "halted": state["halted"], "reason": state["reason"]}

    def list(self):
        halts = [state for state in self._states.values() if state["halted"]]
        return [{name: halt[name] for name in ("projectionPath", "reason", "since")} for halt in halts]

    def halt(self, projectionPath: str, reason: str, cancelOrders: bool):
        # This engine has no orders. One that has cancels them when cancelOrders is true and the path is empty, and
        # refuses an order while the root or any path that the order belongs to is halted.
        self._set(projectionPath, True, reason)

    def resume(self, projectionPath: str, reason: str):
        self._set(projectionPath, False, reason)

    def _set(self, path, halted, reason):
        node = self._node(path)
        before = self._states.get(node, {"halted": False})
        # A halt that is repeated is one since the first.
        since = before["since"] if halted and before["halted"] else int(engine_time())
        state = {"projectionPath": path, "halted": halted, "reason": reason, "since": since}
        # Soon and in order: halts and resumes are acknowledged, then applied.
        asyncio.get_running_loop().call_soon(self._states.__setitem__, node, state)

    def _node(self, path):
        """Paths with the same segments in another order name the same node."""
        return frozenset(read_path(path, self._known_keys).items())


class Services:
    """Trade connectors and algorithms."""

    def __init__(self, services):
        self._services = {service["name"]: dict(service) for service in services}

    def list(self):
        return [dict(service) for service in self._services.values()]

    def get(self, name: str):
        return dict(self._find(name))

    def disable(self, name: str, reason: str):
        self._find(name)["enabled"] = False

    def enable(self, name: str, reason: str):
        self._find(name)["enabled"] = True

    def _find(self, name):
        if name not in self._services:
            raise not_found(f'Unknown service "{name}"')
        return self._services[name]
