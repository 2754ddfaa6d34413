// The console in a Chromium: when the state of trading is on the screen after the document, and how late frames are while somebody works
// with 10,000 positions that change. Absolute figures, of this machine.
import { fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { pictureAfter } from "../console/first-picture.ts";
import { LongList } from "../console/long-list.ts";
import { openChromium } from "../support/open-chromium.ts";
import { PASSWORD, USER } from "./credentials.mjs";

const LOADS = 9;
const PICTURE_MARK_MS = 300;
const FRAME_MARK_MS = 50;

/** Notes the time from frame to frame, and long tasks, in milliseconds. */
const NOTE_FRAMES = `let last = performance.now();
requestAnimationFrame(function next(now) {
  noted.frames.push(now - last);
  last = now;
  requestAnimationFrame(next);
});
const take = (list) => noted.longTasks.push(...list.getEntries().map(({ duration }) => duration));
new PerformanceObserver(take).observe({ type: "longtask" });`;

const GESTURES: Readonly<Record<string, (list: LongList) => Promise<unknown>>> = {
  "read again": (list) => list.read(),
  "wheel, 30 px a ms": (list) => list.wheel(120, 480),
  "wheel through all": (list) => list.wheel(100, 3_000),
  "wheel while read": (list) => Promise.all([list.wheel(120, -480), list.read()]),
  "PageUp 60 times": (list) => list.press("PageUp", 60),
  filter: (list) => list.filter("ACCOUNT42"),
  sort: (list) => list.sort(),
  "projection and back": (list) => list.chooseAndReturn(),
};

const child = fork(resolve("test/bench/reads-server.mjs"));
const [{ port, bytes }] = (await once(child, "message")) as [{ port: number; bytes: number }];
const url = `http://127.0.0.1:${port}`;
const browser = await openChromium();

/** A page of a browser that has nothing of the console yet. */
async function emptyPage(): Promise<Page> {
  const httpCredentials = { username: USER, password: PASSWORD };
  const context = await browser.newContext({ httpCredentials, viewport: { width: 1440, height: 900 } });
  return context.newPage();
}

async function firstPicture(): Promise<number> {
  const page = await emptyPage();
  const ms = await pictureAfter(page, url);
  await page.context().close();
  return ms;
}

async function measurePictures(): Promise<void> {
  // The first visit is that of a login that is not remembered yet.
  await firstPicture();
  const all: number[] = [];
  for (let load = 0; load < LOADS; load += 1) all.push(await firstPicture());
  const median = all.toSorted((a, b) => a - b)[Math.floor(LOADS / 2)] ?? 0;
  const verdict = median <= PICTURE_MARK_MS ? "reached" : "missed";
  console.log(
    `first picture: median of ${LOADS} loads ${median.toFixed(0)} ms (mark: ${PICTURE_MARK_MS} ms: ${verdict})`,
  );
}

async function measureFrames(): Promise<void> {
  const page = await emptyPage();
  await page.goto(`${url}/console`);
  await page.getByText("10,000 positions.").waitFor();
  const list = await LongList.of(page);
  await page.evaluate(`globalThis.noted = { frames: [], longTasks: [] };\n${NOTE_FRAMES}`);
  for (const [name, gesture] of Object.entries(GESTURES)) {
    await page.evaluate("globalThis.noted = { frames: [], longTasks: [] }");
    await gesture(list);
    const noted = (await page.evaluate("noted")) as Record<"frames" | "longTasks", number[]>;
    const late = noted.frames.filter((ms) => ms > FRAME_MARK_MS + 1).length;
    const frames = `longest frame ${Math.max(...noted.frames).toFixed(0)} ms, ${late} of ${noted.frames.length} above ${FRAME_MARK_MS}`;
    console.log(`${name.padEnd(20)} ${frames}, long tasks: ${noted.longTasks.map(Math.round).join(" ") || "none"}`);
  }
}

console.log(`Chromium ${browser.version()}, 1440 x 900, 10,000 positions in ${(bytes / 1e6).toFixed(1)} MB`);
await measurePictures();
await measureFrames();
await browser.close();
child.disconnect();
