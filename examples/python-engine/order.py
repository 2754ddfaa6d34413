"""Effects in the order in which commands arrived at their gateways (docs/engine/bus.md, "Order")."""

import time
import uuid

# What each stop and each change acts on, and which stop a change takes back.
TARGETS = {
    "haltTrading": ("projectionPath",),
    "resumeTrading": ("projectionPath",),
    "updateRiskTable": ("projection",),
    "adjustPosition": ("projectionPath",),
    "disableService": ("name",),
    "enableService": ("name",),
    "disableFixSession": ("gateway", "session"),
    "disconnectFixSession": ("gateway", "session"),
    "enableFixSession": ("gateway", "session"),
}
STOPS = frozenset({"haltTrading", "disableService", "disableFixSession", "disconnectFixSession"})
# Nothing takes a disconnect back.
UNDONE = STOPS - {"disconnectFixSession"}
UNDOING = frozenset({"resumeTrading", "enableService", "enableFixSession"})
MAX_TARGETS = 1000
# A clock that counts whole milliseconds may be behind by one.
TICK_MS = 1
ORIGIN = time.time() - time.monotonic()
# The engine's clock by name: another one with each start, as it may show another time then.
CLOCK = uuid.uuid4().hex


def engine_time():
    """Epoch milliseconds that nobody can set while the engine runs."""
    return (ORIGIN + time.monotonic()) * 1000


class ArrivalOrder:
    """Remembers when the latest stop of each target arrived, and what undid it."""

    def __init__(self):
        self._stops = {}
        self._undone = {}
        self._forgotten = float("-inf")

    def refusal(self, method, given, context):
        """Why a command must not begin: (whether a stop came first, the reason); None if it may."""
        if method not in TARGETS:
            return None
        target, at, within = self._arrived(method, given, context)
        if method in STOPS:
            undone, undone_within = self._undone.get(target, (float("-inf"), 0))
            if method in UNDONE and undone - undone_within > at + within:
                return False, "A change that undoes this stop arrived later and was carried out; nothing was changed"
            self._note_stop(target, at)
            return None
        latest = max((then for stop, then in self._stops.items() if stop <= target), default=float("-inf"))
        if max(latest, self._forgotten) > at + within:
            return True, "A stop arrived after this change and came first; nothing was changed"
        return None

    def carried_out(self, method, given, context):
        """Notes a command that was carried out."""
        if method not in UNDOING:
            return
        target, at, within = self._arrived(method, given, context)
        latest = self._undone.pop(target, (float("-inf"), 0))
        self._undone[target] = max(latest, (at, within))
        if len(self._undone) > MAX_TARGETS:
            self._undone.pop(next(iter(self._undone)))

    def _note_stop(self, target, at):
        self._stops[target] = max(self._stops.pop(target, at), at)
        if len(self._stops) > MAX_TARGETS:
            self._forgotten = max(self._forgotten, self._stops.pop(next(iter(self._stops))))

    def _arrived(self, method, given, context):
        # What has come cannot arrive in the future, whatever the clocks say.
        now = engine_time() + TICK_MS
        at = min(context.get("arrived", now), now)
        return target_of(method, given), at, context.get("arrivedWithin", TICK_MS)


def target_of(method, given):
    """What a command acts on, as a set: a target holds another if it is a subset. The whole system is the empty one."""
    steps = set()
    for field in TARGETS[method]:
        value = given.get(field, "")
        if field != "projectionPath":
            steps.add(f"{field}={value}")
        elif value:
            # A "]" ends a value only at the end or before "/".
            steps.update(value.removesuffix("]").split("]/"))
    return frozenset(steps)
