"""Positions by projection. Nothing is traded here, so a node exists once it was adjusted."""

from decimal import Decimal

from contract import rejected
from decimals import EXACT, decimal_text, read_decimal
from paths import print_path, read_path

# In this order: `symbol` of a position carries the first of them that its projection holds.
SYMBOL_KEYS = ("Symbol", "RootSymbol", "Currency")
ZERO = Decimal(0)


class Positions:
    def __init__(self, projections, known_keys):
        self._keys = {projection: projection.split("/") for projection in projections}
        self._nodes = {projection: {} for projection in projections}
        self._known_keys = known_keys

    def list(self, projection: str, **filters: str):
        if projection not in self._keys:
            raise rejected(f'"{projection}" is not a position projection; configured are: {", ".join(self._keys)}')
        key_of = {filter_of(key): key for key in told_keys(self._keys[projection])}
        for name in filters:
            if name not in key_of:
                raise rejected(f'filter "{name}" does not apply, only these do: {", ".join(key_of)}')
        wanted = {key_of[name]: value for name, value in filters.items()}
        nodes = self._nodes[projection].values()
        return [node.tell() for node in nodes if wanted.items() <= node.segments.items()]

    def adjust(
        self, projectionPath: str, size: str, relative: bool, averageCost: str = None, realizedPnL: str = None
    ):
        change = read_decimal("size", size)
        tracked = [read_tracked("averageCost", averageCost), read_tracked("realizedPnL", realizedPnL)]
        segments = read_path(projectionPath, self._known_keys)
        projection = next((name for name, keys in self._keys.items() if set(keys) == set(segments)), None)
        if projection is None:
            reason = f"names no node of a position projection; configured are: {', '.join(self._keys)}"
            raise rejected(f'"{projectionPath}" {reason}')
        # The order of the segments does not matter: the node has them in the order of its projection.
        node = Node({key: segments[key] for key in self._keys[projection]})
        node = self._nodes[projection].get(node.path, node)
        node.adjust(change, relative, *tracked)
        self._nodes[projection][node.path] = node


class Node:
    """One node of a projection; None stands for a value that is not tracked."""

    def __init__(self, segments):
        self.segments = segments
        self.path = print_path(segments)
        self._size = self._average_cost = self._realized = ZERO

    def adjust(self, change, relative, average_cost, realized):
        size = EXACT.add(self._size, change) if relative else change
        try:
            decimal_text(size)
        except ValueError:
            raise rejected("size: the sum of the current value and the change has more than 64 characters") from None
        if isinstance(average_cost, Decimal) and "Symbol" not in self.segments:
            raise rejected("averageCost: a node that spans instruments has no average cost")
        # A size that appears without a cost came from nobody knows where: its average cost is unknown.
        appears = self._size == 0 and size != 0
        self._average_cost = changed(average_cost, None if appears else self._average_cost)
        self._realized = changed(realized, self._realized)
        self._size = size

    def tell(self):
        has_cost = self._size != 0 and "Symbol" in self.segments
        return {
            "projection": self.path,
            **{field_of(key): self.segments[key] for key in told_keys(list(self.segments))},
            "size": decimal_text(self._size),
            "averageCost": decimal_text(self._average_cost) if has_cost else None,
            "realizedPnL": decimal_text(self._realized),
            # There are no prices here, so nobody can tell what a position is worth.
            "unrealizedPnL": None,
            "marketValue": None,
            "totalCommission": "0",
            "openBuySize": "0",
            "openSellSize": "0",
        }


def field_of(key):
    return "symbol" if key in SYMBOL_KEYS else key[0].lower() + key[1:]


def filter_of(key):
    return "traderId" if key == "Trader" else field_of(key)


def told_keys(keys):
    """The keys that have their own field in a position: all, but only the first of the symbol keys."""
    hidden = [key for key in SYMBOL_KEYS if key in keys][1:]
    return [key for key in keys if key not in hidden]


def read_tracked(name, text):
    """A decimal; "NaN" stops tracking; None leaves the value as it is."""
    return text if text is None or text == "NaN" else read_decimal(name, text)


def changed(given, current):
    if given is None:
        return current
    return None if given == "NaN" else given
