import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EMPTY_OBJECT, type Generator } from "./generator.ts";
import { ended, inside } from "./workshop.ts";

export const orval: Generator = {
  name: "orval",
  packages: ["orval"],
  command: "orval --config ./orval.config.json",
  caller: "orval",
  generate: (folder, baseUrl) => {
    const output = { target: "./generated/api.ts", client: "fetch", baseUrl, urlEncodeParameters: true };
    writeFileSync(join(folder, "orval.config.json"), JSON.stringify({ api: { input: "./openapi.json", output } }));
    return ended(spawn("orval", ["--config", "./orval.config.json"], inside(folder)));
  },
  shapes: {
    refusals: "`data`, beside `status`",
    emptyData: EMPTY_OBJECT,
    emptyError: EMPTY_OBJECT,
    emptyErrorOfCommand: EMPTY_OBJECT,
  },
  limits: {
    address: {
      cannot: "Take the server's address when it runs",
      why: "`baseUrl` is written into the code",
      instead: "Generate with the `baseUrl` of the installation",
    },
    encoding: {
      cannot: "Encode names in paths: one with `/`, `?` or `#` reaches another path, perhaps of another operation",
      why: "the fetch client puts them in as they are, and does not look at `urlEncodeParameters`",
      instead: "Call it with `encodeURIComponent(name)`, always",
    },
  },
};
