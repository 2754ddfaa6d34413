"""The operations of the contract, and what each of them acts on."""

from typing import NamedTuple


class Operation(NamedTuple):
    lane: str
    # What it reads or changes, and the fields of its input that narrow this down.
    subject: str
    fields: tuple = ()


OPERATIONS = {
    "getTradingStatus": Operation("read", "trading", ("projectionPath",)),
    "haltTrading": Operation("stop", "trading", ("projectionPath",)),
    "resumeTrading": Operation("change", "trading", ("projectionPath",)),
    "listHalts": Operation("read", "trading"),
    "getRiskTable": Operation("read", "risk", ("projection",)),
    "updateRiskTable": Operation("change", "risk", ("projection",)),
    "listPositions": Operation("read", "positions"),
    "adjustPosition": Operation("change", "positions", ("projectionPath",)),
    "listServices": Operation("read", "services"),
    "getService": Operation("read", "services", ("name",)),
    "disableService": Operation("stop", "services", ("name",)),
    "enableService": Operation("change", "services", ("name",)),
    "listFixGateways": Operation("read", "fix"),
    "getFixGateway": Operation("read", "fix", ("gateway",)),
    "listFixSessions": Operation("read", "fix", ("gateway",)),
    "getFixSession": Operation("read", "fix", ("gateway", "session")),
    "disableFixSession": Operation("stop", "fix", ("gateway", "session")),
    "enableFixSession": Operation("change", "fix", ("gateway", "session")),
    "disconnectFixSession": Operation("stop", "fix", ("gateway", "session")),
    "describeEngine": Operation("read", "engine"),
}


class Request(NamedTuple):
    """A request with a valid input and context; `received` is when it was read from its connection (time.monotonic)."""

    method: str
    input: dict
    context: dict
    received: float

    @property
    def lane(self):
        return OPERATIONS[self.method].lane

    @property
    def subject(self):
        return OPERATIONS[self.method].subject

    @property
    def target(self):
        """What it acts on, as a set: a target holds another if it is a subset. The whole system is the empty one."""
        steps = set()
        for field in OPERATIONS[self.method].fields:
            value = self.input.get(field, "")
            if field != "projectionPath":
                steps.add(f"{field}={value}")
            elif value:
                # A "]" ends a value only at the end or before "/".
                steps.update(value.removesuffix("]").split("]/"))
        return frozenset(steps)
