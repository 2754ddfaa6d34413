import { describe, expect, it } from "vitest";
import type { EngineTransport } from "../../src/core/engine/transport.ts";
import { type EngineBus, serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { type ConformanceCase, engineConformance, transportConformance } from "../../src/testing/conformance/kits.ts";
import { InProcessBus, type InProcessBusOptions } from "../../transports/in-process.ts";
import * as engines from "./broken-engines.ts";
import * as transports from "./broken-transports.ts";
import { openInProcess } from "./in-process-fixture.ts";

/** Long enough for what happens within a process, and not for what never does. */
const TIMEOUT_MS = 1_000;

/** The one case whose name begins so. */
function only(cases: readonly ConformanceCase[], beginning: string): ConformanceCase {
  const [found, second] = cases.filter(({ name }) => name.startsWith(beginning));
  if (!found || second) throw new Error(`"${beginning}" begins the name of ${found ? "several cases" : "no case"}`);
  return found;
}

type Wrap = (bus: InProcessBus) => EngineTransport;

function transportCase(beginning: string, wrap: Wrap, limits: InProcessBusOptions = {}): ConformanceCase {
  const open = () => openInProcess(limits, wrap);
  return only(transportConformance(open, { timeoutMs: TIMEOUT_MS }), beginning);
}

describe("the conformance kit for transports finds what is wrong", () => {
  it.each<[string, Wrap, string, RegExp]>([
    ["takes answers in order", (bus) => new transports.MixesUp(bus), "interleaving", /reply to request r-1/],
    ["takes answers in order", (bus) => new transports.MixesUp(bus), "10,000", /reply to request/],
    ["sends twice", (bus) => new transports.SendsTwice(bus), "order", /order of their arrival/],
    ["sends again after a loss", (bus) => new transports.Retries(bus), "reconnect", /reached the engine 2 times/],
    ["sends again what takes long", (bus) => new transports.SendsAgain(bus), "hang", /reached the engine 2 times/],
    ["takes any message for a reply", (bus) => new transports.TakesStrays(bus), "stray", /waits when not JSON comes/],
    ["says sent of what was not", (bus) => new transports.SaysSent(bus, true), "loss before", /sent: true/],
    ["says not sent of what was", (bus) => new transports.SaysSent(bus, false), "loss after", /sent: false/],
    ["says not sent of what was", (bus) => new transports.SaysSent(bus, false), "loss while", /it was not sent/],
    ["loses answers", (bus) => new transports.LosesAnswers(bus), "interleaving", /request r-2 is settled/],
    ["has a timer for requests", (bus) => new transports.HasTimer(bus), "late reply", /no timer/],
    ["throws anything", (bus) => new transports.ThrowsAnything(bus), "loss before", /is not a TransportError/],
    ["is always up", (bus) => new transports.AlwaysUp(bus), "state", /while the state is "up"/],
    ["lets requests overtake", (bus) => new transports.Reorders(bus), "order", /order of their arrival/],
    ["drops the traceparent", (bus) => new transports.DropsTraceparent(bus), "request: a traceparent", /00-4bf9/],
    ["drops the time left", (bus) => new transports.DropsTimeLeft(bus), "time left", /the stop that has time left/],
    ["moves the deadline", (bus) => new transports.MovesDeadline(bus), "request: method", /context/],
    ["moves the deadline", (bus) => new transports.MovesDeadline(bus), "deadline", /past its deadline/],
    ["blurs refusals", (bus) => new transports.BlursRefusals(bus), 'reply: the refusal "rejected"', /the reply/],
    ["forgets on close", (bus) => new transports.ForgetsOnClose(bus), "close: a pending request", /is settled/],
    ["takes answers in order", (bus) => new transports.MixesUp(bus), "abort: the reply", /request r-3 is settled/],
    ["fails to start", (bus) => new transports.FailsToStart(bus), "start", /cannot connect/],
    ["keeps places taken", (bus) => new transports.KeepsPlaces(bus), "abort: thousands", /overloaded, sent: false/],
    ["cuts what is long", (bus) => new transports.CutsLong(bus), "reply: a list of", /the big result/],
    ["drops the lane", (bus) => new transports.DropsLane(bus), "request: the engine's end", /change/],
    ["can be closed just once", (bus) => new transports.ClosesOnce(bus), "close: twice", /closed already/],
    ["piles up listeners", (bus) => new transports.PilesUpListeners(bus), "leaks: hundreds", /MaxListeners/],
  ])("in one that %s", async (_what, wrap, beginning, message) => {
    await expect(transportCase(beginning, wrap).run()).rejects.toThrow(message);
  });

  it("in one that keeps a timer", async () => {
    const timers: NodeJS.Timeout[] = [];
    const { run } = transportCase("leaks: fixtures", (bus) => new transports.LeaksTimer(bus, timers));
    await expect(run()).rejects.toThrow(/left over: \d Timeout/);
    for (const timer of timers) clearInterval(timer);
  });

  it("in a bus without a bound, and one without a reserve for stops", async () => {
    const wrap: Wrap = (bus) => bus;
    const unbounded = transportCase("overload: an engine", wrap, { capacity: Number.MAX_SAFE_INTEGER });
    await expect(unbounded.run()).rejects.toThrow(/none was refused/);
    const unreserved = transportCase("overload: a stop", wrap, { stopReserve: 0 });
    await expect(unreserved.run()).rejects.toThrow(/a stop request on a working link: .* overloaded/);
  });
});

const installation = await loadInstallation(sampleInstallation());

type Serve = (engine: SimulatedEngine, bus: EngineBus) => Promise<void>;

function engineCase(beginning: string, Broken: typeof SimulatedEngine, serve: Serve = serveEngine): ConformanceCase {
  const open = async () => {
    const transport = new InProcessBus();
    await serve(new Broken(installation), transport);
    return { transport, close: () => transport.close() };
  };
  return only(engineConformance(open, DEMO_LANDMARKS, { timeoutMs: TIMEOUT_MS }), beginning);
}

describe("the conformance kit for engines finds what is wrong", () => {
  it.each<[string, typeof SimulatedEngine, string, RegExp]>([
    ["applies half an update", engines.AppliesHalf, "risk: an update is all", /after a rejected update/],
    ["takes INSERT for UPDATE", engines.Upserts, "risk: INSERT of a row", /it was accepted/],
    ["replaces rows", engines.ReplacesRows, "risk: UPDATE leaves", /not named/],
    ["knows all services", engines.KnowsAllServices, "services: an unknown name", /"not-found", but it was accepted/],
    ["lets halts be inherited", engines.InheritsHalts, "trading: the status", /is halted/],
    ["resumes nodes with the root", engines.ResumesAll, "trading: resuming", /is halted with the reason "node"/],
    [
      "keeps no reason of a resume",
      engines.ForgetsReasons,
      "trading: a halt is accepted",
      /the reason "conformance begins"; a status has the reason of the last halt or resume.* last read was \{.*"halted":false,"reason":null\}/,
    ],
    [
      "keeps no reason of a resume",
      engines.ForgetsReasons,
      "clock ahead: a stop",
      /is not stopped, with the reason "conformance .*"; a status has the reason of .*last read was .*"reason":null\}/,
    ],
    ["loses digits", engines.LosesDigits, "positions: sizes", /the last read/],
    ["rounds sums", engines.RoundsSums, "positions: sizes", /the last read/],
    ["adds always", engines.AlwaysAdds, "positions: what an adjustment", /the last read/],
    [
      "leaves out nulls",
      engines.LeavesOutNulls,
      "FIX: detail forms",
      /getFixGateway does not conform.*sessions: is missing/s,
    ],
    ["ignores filters", engines.IgnoresFilters, "positions: a filter on a key", /it was accepted/],
    ["echoes commands", engines.EchoesCommands, "FIX: a session", /the session that is read after disable/],
    ["disables for disconnect", engines.DisablesForDisconnect, "FIX: disconnect", /status in the result of disconnect/],
    ["takes any path", engines.TakesAnyPath, "trading: a malformed", /haltTrading of "Account" was accepted/],
    ["only acknowledges", engines.OnlyAcknowledges, "services: a connector is", /is disabled; it did not happen/],
    ["adjusts neighbours", engines.AdjustsNeighbours, "positions: an adjustment changes", /the last read/],
    ["misdescribes itself", engines.MisdescribesItself, "description", /describeEngine does not conform/],
    ["forgets NaN", engines.ForgetsNaN, "positions: NaN", /the last read/],
    [
      "answers other than the schema",
      engines.BreaksSchema,
      "FIX: detail forms",
      /getFixGateway does not conform.*sessions/s,
    ],
  ])("in one that %s", async (_what, Broken, beginning, message) => {
    await expect(engineCase(beginning, Broken).run()).rejects.toThrow(message);
  });

  it("in one that ignores deadlines", async () => {
    const broken = engineCase("deadline: every mutation", SimulatedEngine, engines.serveLate);
    await expect(broken.run()).rejects.toThrow(/haltTrading was carried out after its deadline/);
  });

  it("D-VAL 13: in one that fails at a method which it does not have", async () => {
    const broken = engineCase("unsupported", SimulatedEngine, engines.serveFailing);
    await expect(broken.run()).rejects.toThrow(/kind of the refusal of noSuchOperation/);
  });

  it("in one that knows nothing of the time left", async () => {
    const stop = engineCase("clock ahead: a stop", SimulatedEngine, engines.serveByDeadline);
    await expect(stop.run()).rejects.toThrow(/the stop that has time left: rejected/);
    const late = engineCase("clock behind", SimulatedEngine, engines.serveByDeadline);
    await expect(late.run()).rejects.toThrow(/haltTrading was carried out after its deadline/);
  });

  it("in one that goes by the time left alone", async () => {
    const broken = engineCase("clock ahead: a change", SimulatedEngine, engines.serveByTimeLeft);
    await expect(broken.run()).rejects.toThrow(/resumeTrading was carried out after its deadline/);
  });

  it("in one that carries requests out in another order", async () => {
    for (const beginning of ["risk: updates and reads", "services: commands", "trading: halts and resumes"]) {
      const broken = engineCase(beginning, SimulatedEngine, engines.serveOutOfOrder);
      await expect(broken.run(), beginning).rejects.toThrow(/AssertionError|expected/i);
    }
  });
});
