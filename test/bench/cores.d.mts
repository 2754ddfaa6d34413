/** Keeps a process on one core, so that server and load do not take each other's; false where that cannot be done. */
export function pin(pid: number, core: number): boolean;
