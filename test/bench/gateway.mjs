// Authenticated status reads of the gateway as it is started, its log of requests on, against a bare server and against fastify
// with pino and @fastify/basic-auth, all with the same engine over WebSocket.
import { compare } from "./compare.mjs";

await compare("gateway-server.mjs", [
  { variant: "gateway", baseline: "bare", mark: 0.4 },
  { variant: "gateway", baseline: "fastify", mark: 0.7 },
]);
