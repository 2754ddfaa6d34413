import { z } from "zod";
import { gatewayType } from "../../core/operations/fix.ts";
import { decimalString } from "../../core/values/decimal.ts";
import { exact } from "../../core/values/exact-decimal.ts";
import { PROJECTION_KEY } from "../../core/values/projection.ts";

/**
 * Schema of the installation document. All scalars arrive as text (YAML's failsafe schema), so that an unquoted
 * decimal keeps its digits and a symbol such as `600519` stays a symbol.
 */

const text = z.string({ error: "must be a text" }).min(1, { error: "must not be empty" });

/** A name that the engine packs into 64 bits: services, sources, exchanges. */
const shortName = text.regex(/^[A-Z0-9]{1,10}$/, { error: "must be 1 to 10 upper-case letters and digits" });

/** A value of a projection key: it has to fit into a projection path. */
const nodeValue = text.refine((value) => !value.includes("]/"), { error: 'must not hold "]/"' });

const positiveDecimal = decimalString().pipe(
  z.string().refine((value) => exact(value).gt(0), { error: "must be greater than zero" }),
);

const unsignedDecimal = decimalString().pipe(
  z.string().refine((value) => !exact(value).isNegative(), { error: "must not be negative" }),
);

const flag = z.enum(["true", "false"], { error: "must be true or false" }).transform((value) => value === "true");

function integer(least: number, most: number): z.ZodType<number, string> {
  const error = `must be an integer from ${least} to ${most}`;
  return z
    .string({ error })
    .regex(/^\d{1,10}$/, { error })
    .transform(Number)
    .refine((value) => value >= least && value <= most, { error });
}

const DURATION = /^(\d{1,6})(ms|s)$/;
const durationError = "must be a duration such as 250ms or 2s";

/** Milliseconds. */
const duration = z
  .string({ error: durationError })
  .regex(DURATION, { error: durationError })
  .transform((value) => Number.parseInt(value, 10) * (value.endsWith("ms") ? 1 : 1000));

const port = integer(1, 65_535);

const instrument = z.strictObject({
  exchange: shortName,
  currency: nodeValue,
  "root-symbol": nodeValue.optional(),
  price: positiveDecimal,
  "tick-size": positiveDecimal.default("0.01"),
  "lot-size": positiveDecimal.default("1"),
  multiplier: positiveDecimal.default("1"),
});

const riskRow = z.strictObject({
  conditions: z.record(z.string(), nodeValue).default({}),
  limits: z.record(z.string(), z.union([z.literal("null").transform(() => null), decimalString()])).default({}),
});

const riskTable = z.strictObject({
  limits: z.array(text).min(1, { error: "must name at least one limit" }),
  rows: z.array(riskRow).default([]),
});

const connectionStatus = z.enum(["Connected", "Disconnected"], { error: "must be Connected or Disconnected" });

const connector = z.strictObject({
  type: text.default("Connector"),
  dma: flag.default(true),
  enabled: flag.default(true),
  status: connectionStatus.default("Connected"),
});

const algorithm = z.strictObject({
  type: text.default("Algorithm"),
  system: flag.default(false),
  dma: flag.default(false),
  enabled: flag.default(true),
});

const sessionStatus = z.enum(["Connected", "Disconnected", "Disabled"], {
  error: "must be Connected, Disconnected or Disabled",
});

const session = z.strictObject({
  id: text,
  sender: text,
  target: text,
  "remote-ip": text,
  "remote-port": port.optional(),
  status: sessionStatus.default("Connected"),
});

const gateway = z.strictObject({
  type: gatewayType(),
  "local-ip": text,
  "local-port": port.optional(),
  sessions: z.array(session).default([]),
});

const trader = z.strictObject({ group: nodeValue.optional() });

/** The installation document; `examples/demo/installation.yaml` shows and explains every part. */
export const installationSchema = z.strictObject({
  seed: integer(0, 2_147_483_647).default(1),
  activity: z.enum(["on", "off"], { error: "must be on or off" }).default("on"),
  "tick-interval": duration.refine((ms) => ms > 0, { error: "must be longer than 0ms" }).default(250),
  "control-delay": duration.default(5),
  "max-working-orders": integer(1, 100_000).default(250),
  "kept-trades": integer(0, 100_000).default(1000),
  "commission-rate": unsignedDecimal.default("0"),
  "projection-keys": z.array(text.regex(PROJECTION_KEY, { error: "must begin with an upper-case letter" })).default([]),
  instruments: z.record(nodeValue, instrument).default({}),
  sources: z.array(shortName).default([]),
  accounts: z.array(nodeValue).default([]),
  traders: z.record(nodeValue, trader).default({}),
  risk: z
    .strictObject({
      "reject-unmatched-orders": flag.default(true),
      tables: z.record(z.string(), riskTable).default({}),
    })
    .default({ "reject-unmatched-orders": true, tables: {} }),
  positions: z.strictObject({ projections: z.array(z.string()).default([]) }).default({ projections: [] }),
  connectors: z.record(shortName, connector).default({}),
  algorithms: z.record(shortName, algorithm).default({}),
  gateways: z.record(text, gateway).default({}),
});

/** The installation of a simulated engine, defaults filled in. Decimals are decimal strings, durations milliseconds. */
export type Installation = z.output<typeof installationSchema>;
