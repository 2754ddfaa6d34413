import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { getContainerRuntimeClient } from "testcontainers";

const run = promisify(execFile);

/** What an image holds: paths in the image, and the files and folders of this machine that stand there. */
export type ImageContent = Readonly<Record<string, string>>;

/** Makes an image of files of this machine and names it: no registry is asked. */
export async function importImage(name: string, content: ImageContent): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "image-"));
  try {
    for (const [path, source] of Object.entries(content)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await cp(source, join(folder, path), { recursive: true, dereference: true });
    }
    await importFolder(name, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function importFolder(name: string, folder: string): Promise<void> {
  const tar = spawn("tar", ["-C", folder, "--owner=0", "--group=0", "-cf", "-", "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { container } = await getContainerRuntimeClient();
  const [repo, tag] = name.split(":");
  const answer = await text(await container.dockerode.importImage(tar.stdout, { repo, tag }));
  if (answer.includes("errorDetail")) throw new Error(`The image ${name} cannot be made: ${answer}`);
}

/** The libraries that programs of this machine need, at the paths where the loader looks for them. */
export async function librariesFor(programs: readonly string[], environment = process.env): Promise<ImageContent> {
  const { stdout } = await run("ldd", programs, { env: environment });
  const content: Record<string, string> = {};
  for (const [, name, path] of stdout.matchAll(/^\s+(?:(\S+) => )?(\/\S+) \(0x/gm)) {
    if (path === undefined) continue;
    // Without a name it is the loader itself, whose path the programs hold; the rest it finds in its own folder.
    content[name === undefined ? path : join("/lib", name)] = await realpath(path);
  }
  return content;
}
