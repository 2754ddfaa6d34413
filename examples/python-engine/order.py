"""Effects in the order in which commands arrived at their gateways (docs/engine/bus.md, "Order")."""

import time
import uuid

# The changes that take a stop back, and the stops that can be taken back: nothing takes a disconnect back.
UNDOING = frozenset({"resumeTrading", "enableService", "enableFixSession"})
UNDONE = frozenset({"haltTrading", "disableService", "disableFixSession"})
MAX_TARGETS = 1000
# A clock that counts whole milliseconds may be behind by one.
TICK_MS = 1
ORIGIN = time.time() - time.monotonic()
# The engine's clock by name: another one with each start, as it may show another time then.
CLOCK = uuid.uuid4().hex


def engine_time(monotonic=None):
    """Epoch milliseconds that nobody can set while the engine runs; now, or at a reading of time.monotonic()."""
    return (ORIGIN + (time.monotonic() if monotonic is None else monotonic)) * 1000


class ArrivalOrder:
    """Remembers when the latest stop of each target arrived, and what undid it."""

    def __init__(self):
        self._stops = {}
        self._undone = {}
        self._forgotten = float("-inf")

    def refusal(self, request):
        """Why a command must not begin: (whether a stop came first, the reason); None if it may."""
        at, within = arrival(request)
        if request.method in UNDONE:
            undone, undone_within = self._undone.get(request.target, (float("-inf"), 0))
            if undone - undone_within > at + within:
                return False, "A change that undoes this stop arrived later and was carried out; nothing was changed"
        if request.lane != "change":
            return None
        latest = max((then for stop, then in self._stops.items() if stop <= request.target), default=float("-inf"))
        if max(latest, self._forgotten) > at + within:
            return True, "A stop arrived after this change and came first; nothing was changed"
        return None

    def received(self, request):
        """Notes a stop before it begins: it may have to wait, and changes that arrived before it must not pass it."""
        if request.lane != "stop":
            return
        target, (at, _) = request.target, arrival(request)
        self._stops[target] = max(self._stops.pop(target, at), at)
        if len(self._stops) > MAX_TARGETS:
            self._forgotten = max(self._forgotten, self._stops.pop(next(iter(self._stops))))

    def carried_out(self, request):
        """Notes a command that was carried out."""
        if request.method not in UNDOING:
            return
        latest = self._undone.pop(request.target, (float("-inf"), 0))
        self._undone[request.target] = max(latest, arrival(request))
        if len(self._undone) > MAX_TARGETS:
            self._undone.pop(next(iter(self._undone)))


def arrival(request):
    """When a request arrived at its gateway, in epoch milliseconds of this engine, and by how much that may be off."""
    # What has come cannot arrive in the future, whatever the clocks say.
    received = engine_time(request.received) + TICK_MS
    return min(request.context.get("arrived", received), received), request.context.get("arrivedWithin", TICK_MS)
