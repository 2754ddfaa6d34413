import { commandWords } from "../../../core/operations/command-words.ts";
import { changeWords } from "../../../core/records/change-words.ts";
import { BACK, element, installation, lines, nextId, setBreakable, setText } from "../../../pages/dom.ts";
import { callCommand, curlCommand, type Security } from "./commands.ts";
import { effectOf, type PageRequest, type RequestedOperation } from "./page-document.ts";

export interface CommandQuestion {
  readonly command: RequestedOperation;
  readonly request: PageRequest;
  readonly security: Security;
  /** Path of the API on its server. */
  readonly basePath: string;
  /** Whether the user is known to lack the permission. */
  readonly denied: boolean;
}

const WARNINGS = {
  stop: "This stops something in the running installation, immediately.",
  change: "This changes the running installation, immediately.",
  read: "",
} as const;

/** Warns before a command is sent, and resolves with whether to send it. What stops can be sent with one key, what starts cannot. */
export function askBeforeSending(confirmation: CommandQuestion): Promise<boolean> {
  const { command, request, security, basePath, denied } = confirmation;
  const { operation } = command;
  const lane = operation["x-lane"];
  const words = effectOf(command);
  const whose = installation();
  const send = button("", lane);
  const back = button(BACK);
  const heading = element("h2", { id: nextId() });
  const warning = element("p", { className: `warning ${lane}`, id: nextId() }, [WARNINGS[lane]]);
  for (const part of [heading, send]) setBreakable(part, words);
  const dialog = element("dialog", { className: "question" }, [
    ...whose,
    heading,
    warning,
    ...consequenceOf(command),
    element("pre", {}, [lines(describe(request))]),
    element("p", {}, [`Permission: ${operation["x-permission"] ?? "none"}${denied ? ", which you lack" : ""}`]),
    element("div", { className: "buttons" }, [
      copyButton("Copy as curl", curlCommand(request, security)),
      copyButton("Copy as trading-admin", callCommand(command, request, basePath)),
      back,
      send,
    ]),
  ]);
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.setAttribute("aria-describedby", [...whose, warning].map(({ id }) => id).join(" "));
  document.body.append(dialog);
  dialog.showModal();
  (lane === "stop" ? send : back).focus();
  return new Promise((resolve) => {
    send.onclick = () => dialog.close("send");
    back.onclick = () => dialog.close();
    dialog.onclose = () => {
      dialog.remove();
      resolve(dialog.returnValue === "send");
    };
  });
}

function consequenceOf({ operation: { operationId }, input }: RequestedOperation): HTMLElement[] {
  const { consequence, hasValues } = commandWords(operationId) ?? {};
  const text = consequence?.(input);
  const isListed = operationId === "updateRiskTable" && !hasValues?.(input);
  const changes = isListed ? changeWords({ operation: operationId, parameters: input }) : [];
  return [
    ...(text === undefined ? [] : [element("p", {}, [text])]),
    ...(changes.length === 0 ? [] : [element("ul", {}, changes.map(changeItem))]),
  ];
}

function changeItem(words: string): HTMLElement {
  const item = element("li");
  setBreakable(item, words);
  return item;
}

function describe({ method, url, body }: PageRequest): string {
  return [`${method.toUpperCase()} ${url}`, ...(body === undefined ? [] : ["", body])].join("\n");
}

function copyButton(label: string, text: string): HTMLButtonElement {
  const copy = button(label);
  copy.title = lines(text).data;
  copy.onclick = async () => {
    setText(copy, (await copied(text)) ? "Copied" : "Not copied: the browser refused");
    copy.focus();
  };
  return copy;
}

/** The clipboard needs TLS or loopback; without it, the selection is copied in the old way. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { value: text });
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function button(label: string, className = ""): HTMLButtonElement {
  return element("button", { type: "button", className }, [label]);
}
