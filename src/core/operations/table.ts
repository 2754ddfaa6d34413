import type { z } from "zod";
import { listLike, requireArgument } from "../options.ts";
import { type ProjectionKeys, projectionKeys } from "../values/projection.ts";
import { type EngineReadName, type EngineReads, engineReadNames, engineReads, isEngineRead } from "./engine-reads.ts";
import { type ExtensionName, type Extensions, extensionNames } from "./extensions.ts";
import { fixOperations } from "./fix.ts";
import type { Operation } from "./operation.ts";
import { positionOperations } from "./positions.ts";
import { DEFAULT_MAX_RISK_COMMANDS, riskOperations } from "./risk.ts";
import { serviceOperations } from "./services.ts";
import { tradingOperations } from "./trading.ts";

/**
 * Builds the operation table for the projection keys of an installation and the most commands that a risk update may have.
 *
 * @example
 * const table = buildOperations(projectionKeys(["Desk"]));
 * await serveEngine(engine, bus, systemClock, table);
 */
export function buildOperations(keys: ProjectionKeys, maxRiskCommands: number = DEFAULT_MAX_RISK_COMMANDS) {
  requireArgument("buildOperations", "keys", keys, listLike('projectionKeys(["Desk"])'));
  // The return type is the table itself: every other type of the API is inferred from it.
  return {
    ...tradingOperations(keys),
    ...riskOperations(keys, maxRiskCommands),
    ...positionOperations(keys),
    ...serviceOperations,
    ...fixOperations,
  };
}

export type Operations = ReturnType<typeof buildOperations>;

/** Name of an operation; the same word names the method of the typed face, the bus message and the OpenAPI operation. */
export type OperationName = keyof Operations;

/** Name of an operation that commands something: a stop or a change. */
export type CommandName = {
  [K in OperationName]: Operations[K]["lane"] extends "read" ? never : K;
}[OperationName];

/** Name of a command that starts or loosens something, or may: of each that is not a stop. */
export type ChangeName = {
  [K in CommandName]: Operations[K]["lane"] extends "change" ? K : never;
}[CommandName];

/** The operation table over the standard projection keys. */
export const operations: Operations = buildOperations(projectionKeys());

/** The table of an API whose host sets these; without either it is the standard one, which exists already. */
export function operationsFor(keys: ProjectionKeys | undefined, maxRiskCommands: number | undefined): Operations {
  if (keys === undefined && maxRiskCommands === undefined) return operations;
  return buildOperations(keys ?? projectionKeys(), maxRiskCommands);
}

/** Names of all operations, in the order of the specification. */
export const operationNames: readonly OperationName[] = Object.keys(operations) as OperationName[];

/** Names of those that are changes. */
export const changeNames: readonly ChangeName[] = operationNames.filter(
  (name): name is ChangeName => operations[name].lane === "change",
);

/** Name of whatever can be called: an operation of the specification, or one beyond it. */
export type CallName = OperationName | ExtensionName;

/** Input from a caller; fields with defaults may be left out. */
export type Input<K extends CallName> = z.input<(Operations & Extensions)[K]["input"]>;

/** Input for the engine: that of the caller, checked, with defaults filled in. */
export type EngineInput<K extends OperationName> = z.output<Operations[K]["input"]>;

/** Output of an operation; `null` stands for an empty response. */
export type Output<K extends CallName> = z.output<(Operations & Extensions)[K]["output"]>;

/** One record of the table, its types forgotten: for code that loops over all operations. */
export function operationRecord(table: Operations, name: OperationName): Operation {
  return table[name] as unknown as Operation;
}

/** Name of a method of the bus contract: an operation of the specification, or a read that an engine may have or not. */
export type BusMethod = OperationName | EngineReadName;

export const busMethods: readonly BusMethod[] = [...operationNames, ...engineReadNames];

export type BusInput<K extends BusMethod> = z.output<(Operations & EngineReads)[K]["input"]>;

export type BusOutput<K extends BusMethod> = z.output<(Operations & EngineReads)[K]["output"]>;

/** One record of the bus contract, its types forgotten. */
export function busRecord(table: Operations, name: BusMethod): Operation {
  return (isEngineRead(name) ? engineReads[name] : table[name]) as unknown as Operation;
}

/** The tables of an API; one without extensions has none of them. */
export interface CallTables {
  readonly operations: Operations;
  readonly extensions?: Partial<Extensions>;
}

/** Records of all that can be called, those of the specification first. */
export function callRecords({ operations, extensions = {} }: CallTables): Map<CallName, Operation> {
  const beyond = extensionNames.flatMap((name): [CallName, Operation][] => {
    const record = extensions[name];
    return record ? [[name, record as unknown as Operation]] : [];
  });
  const specified = operationNames.map((name): [CallName, Operation] => [name, operationRecord(operations, name)]);
  return new Map([...specified, ...beyond]);
}

/** Whether an operation is beyond the specification. */
export function isExtension(name: CallName): name is ExtensionName {
  return (extensionNames as readonly CallName[]).includes(name);
}
