import { assemble, under } from "./requirement.ts";

const killSwitch = under("Kill switch state (trading status)", {
  "KILL-SWITCH-PATH": {
    source: ["| projectionPath | string | Path the state belongs to; empty means system-wide |"],
    behavior: "the state names its path, which is empty system-wide",
  },
  "KILL-SWITCH-HALTED": {
    source: ["| halted | boolean | true when trading is halted |"],
    behavior: "halted is true exactly while trading is halted",
  },
  "KILL-SWITCH-REASON": {
    source: ["| reason | string | Reason carried by the last kill switch event |"],
    behavior: "reason is that of the last halt or resume",
  },
});

const riskTable = under("Risk table", {
  "RISK-TABLE-PROJECTION": {
    source: ["| projection | string | Projection of the table |"],
    behavior: "the table names its projection",
  },
  "RISK-TABLE-ROWS": {
    source: ["| rows | array of row | Table rows |"],
    behavior: "rows holds each row of the table, with conditions and limits",
  },
  "RISK-TABLE-CONDITIONS": {
    source: ["| rows[].conditions | object (string to string) | Conditional columns keyed by projection key |"],
    behavior: "conditions holds a string for each projection key of the table",
  },
  "RISK-TABLE-LIMITS": {
    source: ["| rows[].limits | object (limit name to decimal string or null) | `null` means unlimited."],
    behavior: "a limit is a decimal string that orders meet, or null, which lets every order pass",
  },
  "RISK-TABLE-LIMIT-NAMES": {
    source: ["A limit name seen in the interface: `MaxOrderSize`, `MaxOrderNotional`"],
    behavior: "MaxOrderSize and MaxOrderNotional are limit names, and limit what they say",
  },
});

const riskCommand = under("Risk command (element of an update request)", {
  "RISK-COMMAND-TYPE": {
    source: ["| type | enum `INSERT`, `UPDATE`, `DELETE` | yes | |"],
    behavior: "type is required and one of the three, and each does what its name says",
  },
  "RISK-COMMAND-CONDITIONS": {
    source: ["| conditions | object (string to string) | yes | Identifies the row."],
    behavior: "conditions is required, holds strings and identifies the one row that changes",
  },
  "RISK-COMMAND-KEY-ORDER": {
    source: ["Keys are projection keys and follow the order of the projection."],
    behavior: "other keys are refused, and the engine is given the keys in the order of the projection",
  },
  "RISK-COMMAND-WILDCARD": {
    source: ['`"*"` is a wildcard value |'],
    behavior: 'a row with the value "*" holds for any value',
  },
  "RISK-COMMAND-LIMITS": {
    source: ["| limits | object (limit name to decimal string) | no | Limits to apply."],
    behavior: "limits is optional; the limits in it are applied, others stay",
  },
  "RISK-COMMAND-DELETE-LIMITS": {
    source: ["Ignored for `DELETE` |"],
    behavior: "a DELETE ignores the limits it is given",
  },
});

const position = under("Position", {
  "POSITION-PROJECTION": {
    source: ["| projection | string | Projection path of the position |"],
    behavior: "projection is the path of the position's node",
  },
  "POSITION-KEYS": {
    source: [
      "| source, destination, account, trader, traderGroup, exchange, userData, symbol, moduleKey, portfolioKey | string | Projection keys of the position; present only for keys that are part of the projection |",
    ],
    behavior: "each key of the projection is a string field; keys outside the projection are absent",
  },
  "POSITION-SIZE": {
    source: ["| size | decimal string | Negative for a short position |"],
    behavior: "size is a decimal string, positive for long and negative for short",
  },
  "POSITION-AVERAGE-COST": {
    source: ["| averageCost | decimal string | |"],
    behavior: "averageCost is the average price of the open size, as a decimal string",
  },
  "POSITION-REALIZED": {
    source: ["| realizedPnL | decimal string | |"],
    behavior: "realizedPnL is what closed size earned, as a decimal string",
  },
  "POSITION-UNREALIZED": {
    source: ["| unrealizedPnL | decimal string | |"],
    behavior: "unrealizedPnL is what the open size would earn, as a decimal string",
  },
  "POSITION-MARKET-VALUE": {
    source: ["| marketValue | decimal string | |"],
    behavior: "marketValue is the open size at the market price, as a decimal string",
  },
  "POSITION-COMMISSION": {
    source: ["| totalCommission | decimal string | |"],
    behavior: "totalCommission is the sum over all trades, as a decimal string",
  },
  "POSITION-OPEN-BUY": {
    source: ["| openBuySize | decimal string | Size of open buy orders |"],
    behavior: "openBuySize is the size of open buy orders, as a decimal string",
  },
  "POSITION-OPEN-SELL": {
    source: ["| openSellSize | decimal string | Size of open sell orders |"],
    behavior: "openSellSize is the size of open sell orders, as a decimal string",
  },
});

const service = under("Service (a trade connector or an algorithm)", {
  "SERVICE-NAME": {
    source: ["| name | string | Identifier used to enable or disable the service |"],
    behavior: "each listed name disables and enables that very service",
  },
  "SERVICE-TYPE": {
    source: ["| type | enum | For example `Algorithm` or `Connector`"],
    behavior: "type tells algorithms from connectors",
  },
  "SERVICE-SYSTEM": {
    source: ["| system | boolean | System algorithms do not accept orders |"],
    behavior: "system is true for a system algorithm, and orders to it are refused",
  },
  "SERVICE-DMA": {
    source: ["| dma | boolean | Service provides direct market access |"],
    behavior: "dma is true exactly for services with direct market access",
  },
  "SERVICE-ENABLED": {
    source: ["| enabled | boolean | Whether the service currently accepts orders |"],
    behavior: "enabled tells whether an order to the service passes",
  },
  "SERVICE-STATUS": {
    source: ["| status | enum `Connected`, `Disconnected` | Applies to trade connectors only |"],
    behavior: "status is Connected or Disconnected for connectors and null for algorithms",
  },
});

/** Resources and their fields, the FIX ones aside. */
export const resources = assemble(killSwitch, riskTable, riskCommand, position, service);
