// Authenticated status reads of the gateway as it is started, against a Spring Boot service that returns a constant, its access log
// on; behind gateway and bare server is an engine over WebSocket.
import { existsSync } from "node:fs";
import { compare } from "./compare.mjs";
import { SPRING_BOOT } from "./credentials.mjs";

if (existsSync(SPRING_BOOT)) {
  const pairs = [
    { variant: "gateway", baseline: "spring boot" },
    { variant: "spring boot", baseline: "bare" },
  ];
  // Java compiles for a while.
  await compare("gateway-server.mjs", pairs, 20);
} else console.log("left out: build it with `mvn -q -f test/bench/spring-boot package`");
