import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { CACHE, unpackDebian } from "./debian-packages.ts";

const PROGRAM = "usr/lib/chromium/chromium";

/**
 * Starts a headless Chromium: the program that `CHROMIUM` names, else Debian's, which is fetched once and unpacked below
 * `node_modules/.cache`.
 */
export async function openChromium(): Promise<Browser> {
  const named = process.env.CHROMIUM;
  if (named !== undefined) return launch(named, process.env);
  const { root, environment } = await unpackDebian({
    name: "chromium",
    packages: ["chromium", "chromium-common", "fonts-dejavu-core"],
    programs: [PROGRAM],
  });
  const env = { ...environment, FONTCONFIG_FILE: await writeFontSettings(join(root, "usr/share/fonts")) };
  return launch(join(root, PROGRAM), env);
}

/** The sandbox needs rights that neither containers nor superusers give; only pages of the tests are opened. */
function launch(executablePath: string, env: NodeJS.ProcessEnv): Promise<Browser> {
  return chromium.launch({ executablePath, env: env as Record<string, string>, args: ["--no-sandbox"] });
}

/** Fonts of the packages; the machine may have none. */
async function writeFontSettings(fonts: string): Promise<string> {
  const file = join(CACHE, "fonts.conf");
  await mkdir(CACHE, { recursive: true });
  const cache = join(CACHE, "fonts");
  await writeFile(file, `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>\n`);
  return file;
}
