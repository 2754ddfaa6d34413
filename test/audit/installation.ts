import { PERMISSIONS } from "../../src/core/principal.ts";
import type { Workplace } from "../cli/workplace.ts";

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

const PASSWORD = "correct horse 7 battery";

/** `Authorization` header of the one user, who may do everything. */
export const AUTHORIZATION = `Basic ${Buffer.from(`chief:${PASSWORD}`).toString("base64")}`;

/** What the command line has to know to call as the one user. */
export const CREDENTIALS: Readonly<Record<string, string>> = {
  TRADING_ADMIN_USER: "chief",
  TRADING_ADMIN_PASSWORD: PASSWORD,
};

/** Writes the files of a gateway that keeps an audit file; `settings` are those besides. */
export function writeInstallation(workplace: Workplace, settings: string): void {
  const permissions = PERMISSIONS.map((permission) => `<permission>${permission}</permission>`).join("");
  workplace.writeUser("chief", PASSWORD);
  workplace.write(
    "uac-access-rules.xml",
    `<rules xmlns="${NAMESPACE}"><allow><principal>chief</principal>${permissions}</allow></rules>`,
  );
  workplace.write("application.yaml", `server.port: 0\nadmin.audit.file: audit.jsonl\n${settings}`);
}
