import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { CACHE } from "./debian-packages.ts";
import { type FoundProgram, findProgram } from "./find-program.ts";

const DEBIAN = {
  packages: ["chromium", "chromium-common", "fonts-dejavu-core"],
  programs: ["usr/lib/chromium/chromium"],
};

/** The Chromium of this machine, or Debian's; `CHROMIUM` may name one. */
export function findChromium(): Promise<FoundProgram> {
  return findProgram({ name: "chromium", variable: "CHROMIUM", debian: DEBIAN });
}

/** Starts it headless. */
export async function openChromium(): Promise<Browser> {
  const found = await findChromium();
  const env: Record<string, string> = { FONTCONFIG_FILE: await writeFontSettings(join(found.root, "usr/share/fonts")) };
  for (const [name, value] of Object.entries(found.environment)) env[name] ??= value ?? "";
  // The sandbox needs rights that neither containers nor superusers give; only pages of the tests are opened.
  return chromium.launch({ executablePath: found.path, env, args: ["--no-sandbox"] });
}

/** Fonts of the packages; the machine may have none. */
async function writeFontSettings(fonts: string): Promise<string> {
  const file = join(CACHE, "fonts.conf");
  await mkdir(CACHE, { recursive: true });
  const cache = join(CACHE, "fonts");
  const monospace = "<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>";
  await writeFile(file, `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir>${monospace}</fontconfig>\n`);
  return file;
}
