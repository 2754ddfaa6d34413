// The standalone gateway, for programs that start it themselves.
export { ConfigurationError } from "../config/configuration-error.ts";
export { loadSettings, parseSettings } from "../config/load.ts";
export type { Settings } from "../config/settings.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { type Log, type MonitorLog, openMonitorLog } from "./monitor-log.ts";
export { ListenError } from "./server.ts";
