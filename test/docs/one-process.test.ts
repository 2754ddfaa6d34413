import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { judge } from "../conformance/judged.ts";
import { requireBuild } from "../package/build.ts";
import { openConsumer } from "../package/consumer.ts";
import { readText } from "./bus-files.ts";

const PROGRAM = /snippet: examples\/one-process\.mjs -->\n```js\n(.*?)```.*?\n```\n(.*?)```/s;

describe("docs/embed: the program in one process", () => {
  const [, program = "", printed] = PROGRAM.exec(readText("docs/embed/README.md")) ?? [];

  beforeAll(() => requireBuild());

  it("runs as it stands, and prints what the page says", async () => {
    const consumer = openConsumer();
    onTestFinished(() => consumer.close());
    const { code, stdout, stderr } = await consumer.node(consumer.write("one-process.mjs", program));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: printed, stderr: "" });
  });

  it("D-TEST 11: has an engine that passes the conformance kit", async () => {
    const consumer = openConsumer();
    onTestFinished(() => consumer.close());
    const [engineOnly = ""] = program.split("const bus =");
    const file = consumer.write("engine.mjs", `${engineOnly}export { engine };\n`);
    const { engine } = await import(/* @vite-ignore */ file);
    const { passed, failed } = await judge(engine, { ...DEMO_LANDMARKS, haltPath: undefined, oddHaltPath: undefined });
    expect(failed).toEqual({});
    expect(passed.filter((name) => name.startsWith("trading: "))).not.toEqual([]);
  });
});
