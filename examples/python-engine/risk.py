"""Risk limit tables: only configured projections have one, with fixed columns; an update is all or nothing."""

import copy

from contract import INVALID_PARAMS, Refusal, rejected
from decimals import read_decimal


class RiskTables:
    def __init__(self, tables):
        self._columns = {projection: table["limits"] for projection, table in tables.items()}
        self._rows = {projection: {} for projection in tables}
        for projection, table in tables.items():
            inserts = [{"type": "INSERT", **row} for row in table["rows"]]
            self._rows[projection] = self._after(projection, inserts)

    def read(self, projection: str):
        self._check(projection)
        return {"projection": projection, "rows": copy.deepcopy(list(self._rows[projection].values()))}

    def update(self, projection: str, commands: list):
        self._check(projection)
        # Rows are replaced when all commands went well, so a rejected update leaves no trace.
        self._rows[projection] = self._after(projection, commands)
        return self.read(projection)

    def _check(self, projection):
        if projection not in self._columns:
            names = ", ".join(f'"{name}"' for name in self._columns)
            raise rejected(f'"{projection}" has no risk table; configured are: {names}')

    def _after(self, projection, commands):
        keys = projection.split("/") if projection else []
        rows = dict(self._rows[projection])
        for index, command in enumerate(commands):
            try:
                apply_command(keys, self._columns[projection], rows, command)
            except ValueError as reason:
                raise rejected(f"commands[{index}] ({command['type']}): {reason}") from None
            except (KeyError, TypeError, AttributeError):
                raise Refusal(INVALID_PARAMS, f"params.input.commands[{index}]: is not a risk command") from None
        return rows


def apply_command(keys, columns, rows, command):
    kind, conditions = command["type"], command["conditions"]
    if kind not in ("INSERT", "UPDATE", "DELETE") or not all(isinstance(value, str) for value in conditions.values()):
        raise TypeError(kind)
    if set(conditions) != set(keys):
        raise ValueError(f"conditions must be given for exactly these keys: {', '.join(keys) or 'none'}")
    row_id = tuple(conditions[key] for key in keys)
    row = rows.get(row_id)
    if kind == "DELETE":
        if row is None:
            raise ValueError("the row does not exist")
        del rows[row_id]
        return
    if kind == "INSERT" and row is not None:
        raise ValueError("the row exists already")
    given = command.get("limits") or {}
    for name, limit in given.items():
        if name not in columns:
            raise ValueError(f'the table has no limit "{name}"; it has {", ".join(columns)}')
        if limit is not None:
            read_decimal(f"commands[].limits.{name}", limit)
    # A limit that an UPDATE does not name keeps its value; one that nobody ever named is unlimited.
    known = {**dict.fromkeys(columns), **(row["limits"] if row else {}), **given}
    rows[row_id] = {"conditions": dict(zip(keys, row_id)), "limits": known}
