import { fileURLToPath } from "node:url";

/** The service in Java, if it has been built. */
export const SPRING_BOOT = fileURLToPath(new URL("spring-boot/target/spring-boot.jar", import.meta.url));

// The one user of the servers under load.
export const USER = "bench";
export const PASSWORD = "a password for the benchmark";
export const AUTHORIZATION = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`;
