/**
 * The standalone gateway, for programs that start it themselves.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export { ConfigurationError, type Problem } from "../config/configuration-error.ts";
export { type LoadedSettings, loadSettings, parseSettings, type SettingOverrides } from "../config/load.ts";
export type { FileOrigin, Origin } from "../config/property.ts";
export type { Settings } from "../config/settings.ts";
export type { GatewayAuthentication } from "./authentication.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export type { ServerCertificate } from "./https/https.ts";
export { type MonitorLog, openMonitorLog } from "./log/monitor-log.ts";
export type { RequestLog } from "./log/request-log.ts";
export { ListenError } from "./server/server.ts";
