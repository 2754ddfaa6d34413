import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readAccessFiles } from "../../src/auth/simple-users.ts";

const NAMESPACE = 'xmlns="http://xml.deltixlab.com/internal/quantserver/3.0"';

it("D-UAC 18: a file of thousands of users is read in steps, between which other work has its turns", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-users-"));
  const users = Array.from(
    { length: 5_000 },
    (_, at) => `<user id="user${at}"><password>secret > ${at}</password></user>`,
  );
  const allow = "<allow><principal>*</principal><permission>*</permission></allow>";
  writeFileSync(
    join(folder, "uac-file-security.xml"),
    `<config ${NAMESPACE}><users>${users.join("\n")}</users></config>`,
  );
  writeFileSync(join(folder, "uac-access-rules.xml"), `<rules ${NAMESPACE}>${allow}</rules>`);
  let turns = 0;
  let isRead = false;
  const count = (): void => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const read = await readAccessFiles(folder, {});
  isRead = true;
  rmSync(folder, { recursive: true });
  expect(read.users.size).toBe(5_000);
  expect(read.users.get("user4999")?.permissions.size).toBe(5);
  expect(read.warnings).toContainEqual(
    expect.stringMatching(/uac-file-security\.xml:5000:\d+: user "user4999": the password is plain/),
  );
  expect(turns).toBeGreaterThan(20);
});
