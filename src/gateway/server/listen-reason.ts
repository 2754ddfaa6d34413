/** What to change where a server cannot listen: names of settings or options. */
export interface ListenNames {
  readonly port: string;
  readonly address: string;
}

/** Why a server cannot listen, and what to do. */
export function listenReason({ code, message }: NodeJS.ErrnoException, names: ListenNames): string {
  if (code === "EADDRINUSE") return `the port is in use; stop the other program or set ${names.port}`;
  if (code === "EACCES") return `not permitted; use a port above 1023 for ${names.port}`;
  if (code === "EADDRNOTAVAIL") return `this machine has no such address; set ${names.address}`;
  return message;
}
