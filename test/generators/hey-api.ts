import { spawn } from "node:child_process";
import { expect } from "vitest";
import { EMPTY_OBJECT, type Generator } from "./generator.ts";
import { ended, inside } from "./workshop.ts";

const PLUGINS = ["-p", "@hey-api/client-fetch", "@hey-api/sdk", "@hey-api/typescript"];
const ARGUMENTS = ["-i", "./openapi.json", "-o", "generated", ...PLUGINS];

const OWN_RUNTIME = [
  "generated/client/client.gen.ts",
  "generated/client/utils.gen.ts",
  "generated/core/params.gen.ts",
  "generated/core/pathSerializer.gen.ts",
  "generated/core/serverSentEvents.gen.ts",
];

export const heyApi: Generator = {
  name: "@hey-api/openapi-ts",
  packages: ["@hey-api/openapi-ts"],
  command: `openapi-ts ${ARGUMENTS.join(" ")}`,
  caller: "hey-api",
  generate: (folder) => ended(spawn("openapi-ts", ARGUMENTS, inside(folder))),
  shapes: {
    refusals: "`error`, beside `response.status`",
    emptyData: { value: expect.any(ReadableStream), says: "a `ReadableStream` with nothing in it" },
    emptyError: EMPTY_OBJECT,
    emptyErrorOfCommand: EMPTY_OBJECT,
  },
  limits: {
    strictest: {
      cannot: "Compile with `exactOptionalPropertyTypes`",
      why: "the runtime that it puts beside the client passes `undefined` for optional fields",
      instead: "Leave that one option off where the client is compiled; all others may be on",
      files: OWN_RUNTIME,
    },
    errorType: {
      cannot: "Give `error` a type: it is `unknown`",
      why: "one of the responses, 401, has no content, and unions with `unknown` are `unknown`",
      instead: "Check `response.status`, and that `error` holds `message`",
    },
  },
};
