import { breakablePieces } from "../../../core/values/basics.ts";
import { callCommand, curlCommand, type Security } from "./commands.ts";
import type { AskedOperation, PageRequest } from "./described.ts";
import { effectOf } from "./effects.ts";

/** What is asked before a command is sent. */
export interface CommandQuestion {
  readonly asked: AskedOperation;
  readonly request: PageRequest;
  readonly security: Security;
  /** Path of the API on its server. */
  readonly basePath: string;
  /** Whether the user is known to lack the permission. */
  readonly denied: boolean;
}

const WARNINGS = {
  stop: "This stops something in the running installation, at once.",
  change: "This changes the running installation, at once.",
  read: "",
} as const;

/** Warns before a command is sent, and resolves with whether it shall be. What stops can be sent with one key, what starts cannot. */
export function askBeforeSending(confirmation: CommandQuestion): Promise<boolean> {
  const { asked, request, security, basePath, denied } = confirmation;
  const { operation } = asked;
  const lane = operation["x-lane"];
  const words = effectOf(asked);
  const send = button(breakable(words), `send ${lane}`);
  const cancel = button(["Cancel"], "cancel");
  const dialog = element("dialog", { className: "before-sending" }, [
    element("h2", { id: "before-sending" }, breakable(words)),
    element("p", { className: `warning ${lane}` }, [WARNINGS[lane]]),
    element("pre", {}, [describe(request)]),
    element("p", {}, [`Permission: ${operation["x-permission"] ?? "none"}${denied ? ", which you lack" : ""}`]),
    element("menu", {}, [
      copyButton("Copy as curl", curlCommand(request, security)),
      copyButton("Copy as trading-admin", callCommand(asked, request, basePath)),
      cancel,
      send,
    ]),
  ]) as HTMLDialogElement;
  dialog.setAttribute("aria-labelledby", "before-sending");
  document.body.append(dialog);
  dialog.showModal();
  (lane === "stop" ? send : cancel).focus();
  return new Promise((resolve) => {
    send.onclick = () => dialog.close("send");
    cancel.onclick = () => dialog.close();
    dialog.onclose = () => {
      dialog.remove();
      resolve(dialog.returnValue === "send");
    };
  });
}

function describe({ method, url, body }: PageRequest): string {
  return [`${method.toUpperCase()} ${url}`, ...(body === undefined ? [] : ["", body])].join("\n");
}

function copyButton(label: string, text: string): HTMLButtonElement {
  const copy = button([label], "copy");
  copy.title = text;
  copy.onclick = async () => {
    copy.textContent = (await copied(text)) ? "Copied" : "Not copied: the browser refused";
  };
  return copy;
}

/** The clipboard needs TLS or loopback; without it, the selection is copied in the old way. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { value: text }, []) as HTMLTextAreaElement;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A path may break behind a slash or bracket: inside a name it should not. */
function breakable(words: string): (Node | string)[] {
  return breakablePieces(words).flatMap((part) => [part, element("wbr", {}, [])]);
}

function button(label: (Node | string)[], className: string): HTMLButtonElement {
  return element("button", { type: "button", className }, label) as HTMLButtonElement;
}

function element(tag: string, properties: Readonly<Record<string, string>>, content: (Node | string)[]): HTMLElement {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...content);
  return made;
}
