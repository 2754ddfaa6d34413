// Authenticated status reads of the API in a host's own server, against bare servers, all with the same engine over WebSocket.
import { compare } from "./compare.mjs";

await compare("server.mjs", [
  { variant: "handler", baseline: "bare", mark: 0.5 },
  { variant: "before express", baseline: "bare", mark: 0.5 },
  { variant: "in express", baseline: "bare express", mark: 0.8 },
]);
