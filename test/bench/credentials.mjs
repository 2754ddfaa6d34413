// The one user of the servers under load.
export const USER = "bench";
export const PASSWORD = "a password for the benchmark";
export const AUTHORIZATION = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`;
