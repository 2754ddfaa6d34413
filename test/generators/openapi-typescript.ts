import { spawn } from "node:child_process";
import { type Generator, UNDEFINED } from "./generator.ts";
import { ended, inside } from "./workshop.ts";

const ARGUMENTS = ["./openapi.json", "-o", "generated/schema.ts", "--default-non-nullable", "false"];

export const openapiTypescript: Generator = {
  name: "openapi-typescript",
  packages: ["openapi-typescript", "openapi-fetch"],
  command: `openapi-typescript ${ARGUMENTS.join(" ")}`,
  caller: "openapi-fetch",
  generate: (folder) => ended(spawn("openapi-typescript", ARGUMENTS, inside(folder))),
  shapes: {
    refusals: "`error`, beside `response.status`",
    emptyData: UNDEFINED,
    emptyError: UNDEFINED,
    emptyErrorOfCommand: UNDEFINED,
  },
  limits: {
    unauthorized: {
      cannot: "Show an empty 401 as an error: `data` and `error` are both `undefined`",
      why: "a response without content has nothing to show",
      instead: "Look at `response.ok`, never at `error`",
    },
  },
};
