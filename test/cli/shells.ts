import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { type FoundProgram, findProgram } from "../support/find-program.ts";
import { RealTerminal } from "../support/terminal.ts";
import { COMMAND } from "./command.ts";
import type { Installation } from "./installation.ts";
import type { Workplace } from "./workplace.ts";

/** What a shell is started with. */
interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Sets a shell up for a user who loads the completion as its script says. */
export const SHELLS: Readonly<Record<"bash" | "zsh" | "fish", (workplace: Workplace) => Promise<Start>>> = {
  bash: async (workplace) => {
    workplace.write("bashrc", 'PS1="ready> "\neval "$(trading-admin completion bash)"\n');
    return { program: "bash", args: ["--rcfile", "bashrc", "-i"], environment: {} };
  },
  zsh: async (workplace) => {
    const debian = { packages: ["zsh", "zsh-common"], programs: ["bin/zsh"] };
    const zsh = await findProgram({ name: "zsh", variable: "ZSH_PROGRAM", debian });
    workplace.write(".zshenv", isUnpacked(zsh) ? zshFolders(zsh.root) : "");
    const load = "autoload -Uz compinit && compinit -u -D\nsource <(trading-admin completion zsh)";
    workplace.write(".zshrc", `PS1="ready> "\n${load}\n`);
    return { program: zsh.path, args: ["-d", "-i"], environment: librariesOf(zsh) };
  },
  fish: async (workplace) => {
    const debian = { packages: ["fish", "fish-common"], programs: ["usr/bin/fish"] };
    const fish = await findProgram({ name: "fish", variable: "FISH_PROGRAM", debian });
    mkdirSync(workplace.file(".config/fish"), { recursive: true });
    const prompt = "function fish_prompt; echo 'ready> '; end\nset -g fish_greeting";
    workplace.write(".config/fish/config.fish", `${prompt}\ntrading-admin completion fish | source\n`);
    const program = isUnpacked(fish) ? movedFish(fish, workplace) : fish.path;
    return { program, args: ["-i"], environment: librariesOf(fish) };
  },
};

/** Opens a shell in a terminal of a user of an installation, and waits until it takes commands. */
export async function openShell(name: keyof typeof SHELLS, installation: Installation): Promise<RealTerminal> {
  const { workplace } = installation;
  const bin = workplace.file("bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(COMMAND, join(bin, "trading-admin"));
  const { program, args, environment: own } = await SHELLS[name](workplace);
  const environment = {
    ...CLEAN_ENVIRONMENT,
    ...installation.environment,
    ...own,
    HOME: workplace.path,
    PATH: [bin, process.env.PATH].join(delimiter),
  };
  const terminal = new RealTerminal(program, args, { cwd: workplace.path, environment, columns: 120 });
  await terminal.until(/^ready>/m);
  return terminal;
}

function isUnpacked({ root }: FoundProgram): boolean {
  return root !== "/";
}

function librariesOf({ environment }: FoundProgram): NodeJS.ProcessEnv {
  return { LD_LIBRARY_PATH: environment.LD_LIBRARY_PATH };
}

/** zsh has the folders of its modules and functions built in; a package that is only unpacked has them elsewhere. */
function zshFolders(root: string): string {
  const functions = `${root}/usr/share/zsh/functions`;
  return `module_path=(${root}/usr/lib/*/zsh/*(/))\nfpath=(${functions}/**/*(/))\n`;
}

/** fish looks for its files beside the folder that it is in, if all of them are there. */
function movedFish({ path, root }: FoundProgram, workplace: Workplace): string {
  for (const folder of ["bin", "etc", "share"]) mkdirSync(workplace.file(`fish/${folder}`), { recursive: true });
  const program = workplace.file(`fish/bin/${basename(path)}`);
  cpSync(path, program);
  symlinkSync(join(root, "usr/share/fish"), workplace.file("fish/share/fish"));
  symlinkSync(join(root, "etc/fish"), workplace.file("fish/etc/fish"));
  return program;
}
