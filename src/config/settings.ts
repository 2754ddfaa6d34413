import { z } from "zod";
import { JWS_ALGORITHMS } from "../core/jws-algorithms.ts";
import { PERMISSIONS } from "../core/permission.ts";
import {
  byName,
  choice,
  choices,
  dataSize,
  duration,
  flag,
  list,
  networkAddress,
  path,
  secret,
  text,
  urls,
  type ValueType,
  webAddress,
  wholeNumber,
} from "./values.ts";

/** What messages, loader and reference need to know about a setting beside its schema. */
export interface SettingInfo {
  /** The values that are accepted. */
  readonly values: string;
  /** The default as an operator would write it; absent for an optional setting. */
  readonly fallback?: string;
  readonly meaning: string;
  /** The value is a path, relative to the folder of `application.yaml`. */
  readonly path: boolean;
  /** The value must not be shown. */
  readonly secret: boolean;
  /** The value is a list, whose elements can be given one by one. */
  readonly list: boolean;
}

const infos = z.registry<SettingInfo>();

function infoOf({ values, path, secret, list }: ValueType<unknown>, meaning: string): SettingInfo {
  return { values, meaning, path: path === true, secret: secret === true, list: list === true };
}

function setting<T>(type: ValueType<T>, fallback: string, meaning: string): z.ZodPrefault<z.ZodType<T>> {
  const schema = type.schema.prefault(fallback);
  infos.add(schema, { ...infoOf(type, meaning), fallback });
  return schema;
}

function optional<T>(type: ValueType<T>, meaning: string): z.ZodOptional<z.ZodType<T>> {
  const schema = type.schema.optional();
  infos.add(schema, infoOf(type, meaning));
  return schema;
}

const CONFIG_TREE = /^(?:optional:)?configtree:./;
const PROJECTION_KEY = /^[A-Z][A-Za-z0-9]*$/;

/**
 * Every setting of `application.yaml` under its documented key. This is the only definition: types, validation, messages,
 * known keys and `docs/configuration.md` are derived from it.
 */
export const settingsSchema = z.object({
  "server.port": setting(wholeNumber(0, 65535), "8988", "Port of the API; 0 takes any free port."),
  "server.address": setting(
    networkAddress(),
    "127.0.0.1",
    "Address to listen on; `0.0.0.0` or `::` for all interfaces.",
  ),
  "admin.api.enabled": setting(flag(), "true", "`false` turns the administrative API off: its paths do not exist."),
  "admin.api.max-body-size": setting(
    dataSize("1B", "256MB"),
    "1MB",
    "Largest request body; a larger one is answered 413.",
  ),
  "admin.api.unknown-fields": setting(
    choice("reject", "ignore"),
    "reject",
    "What happens to a request with an unknown body field or an unknown or repeated query parameter: `reject` answers 400 " +
      "and names it, `ignore` is for old clients.",
  ),
  "admin.api.projection-keys": setting(
    list("projection keys (a capital letter, then letters and digits)", PROJECTION_KEY),
    "",
    "Projection keys of this installation in addition to the standard ones.",
  ),
  "admin.engine.transport": setting(
    choice("in-process", "websocket", "nats"),
    "in-process",
    "How the engine is reached: `in-process` embeds the simulated engine, `websocket` and `nats` reach one in another process.",
  ),
  "admin.engine.url": optional(
    urls("ws", "wss", "nats", "tls"),
    "Where the engine is: `wss://engine:8989` for `websocket`, the servers of the cluster for `nats`.",
  ),
  "admin.engine.token": optional(secret(), "Token that the engine, or the NATS server, asks for."),
  "admin.engine.credentials": optional(path(), "NATS credentials file (`.creds`)."),
  "admin.engine.tls.ca": optional(
    path(),
    "PEM file of the authorities that may vouch for the engine; those known to Node.js unless it is set.",
  ),
  "admin.engine.tls.certificate": optional(
    path(),
    "PEM file of the certificate that this gateway shows to the engine.",
  ),
  "admin.engine.tls.private-key": optional(path(), "PEM file of the private key of that certificate."),
  "admin.engine.request-timeout": setting(
    duration("1ms", "1h"),
    "10s",
    "How long the engine may take to answer one request.",
  ),
  "admin.engine.installation": optional(path(), "YAML file that describes the installation the engine runs."),
  "admin.audit.file": optional(
    path(),
    "File that keeps the audit records durably, chained by hashes (`docs/audit.md`); without it they are in the monitor log only.",
  ),
  "admin.audit.max-file-size": setting(
    dataSize("64KB", "1024MB"),
    "64MB",
    "Size at which a new audit file is begun and the full one gets its final name.",
  ),
  "admin.audit.max-files": optional(
    wholeNumber(2, 1_000_000),
    "How many audit files are kept, the current one included; older ones are deleted. All are kept unless it is set.",
  ),
  "security.oauth2.authenticationType": optional(
    choice("NONE", "SIMPLE", "LDAP", "PROVIDER"),
    "How callers prove who they are: `SIMPLE` by the user file `uac-file-security.xml`, `LDAP` by the directory in " +
      "`uac-ldap-security.xml`, `PROVIDER` by tokens of an identity provider; `NONE` closes the API. If it is not set: " +
      "`PROVIDER` when `security.oauth2.provider.name` is set, else `SIMPLE`.",
  ),
  "security.oauth2.provider.name": optional(
    text(),
    "Name of the identity provider whose tokens are expected; then `SIMPLE` and `LDAP` do not apply.",
  ),
  "security.oauth2.provider.authoritiesClaim": setting(
    text(),
    "authorities",
    "Claim of a token that holds the caller's roles, an array or a text with blanks: a path such as `realm_access.roles` or " +
      '`resource_access["my.client"].roles`.',
  ),
  "security.oauth2.provider.authorityMapping.*": optional(
    byName(choices(...PERMISSIONS)),
    "Permissions that the role with this name stands for. A role without an entry is the permission of exactly its name, or " +
      "grants nothing.",
  ),
  "security.oauth2.provider.clock-skew": setting(
    duration("0s", "10m"),
    "60s",
    "How far the clocks of identity provider and gateway may be apart.",
  ),
  "security.oauth2.provider.key-lifetime": setting(
    duration("1m", "168h"),
    "12h",
    "How long the provider's known keys stay valid while it is out of reach; after that tokens can no longer be checked.",
  ),
  "spring.security.oauth2.resourceserver.jwt.issuer-uri": optional(
    webAddress(),
    "Issuer that tokens must name; the address of its keys is discovered unless `jwk-set-uri` is set. If neither is set, " +
      "those of the login provider are used.",
  ),
  "spring.security.oauth2.resourceserver.jwt.jwk-set-uri": optional(
    webAddress(),
    "Where the provider's keys are; without `issuer-uri` the issuer of tokens is not checked.",
  ),
  "spring.security.oauth2.resourceserver.jwt.audiences": setting(
    list("audiences", /./),
    "",
    "A token must be for one of these audiences; it is not checked unless this is set.",
  ),
  "spring.security.oauth2.resourceserver.jwt.jws-algorithms": setting(
    choices(...JWS_ALGORITHMS),
    "RS256",
    "Algorithms with which tokens may be signed.",
  ),
  "spring.security.oauth2.resourceserver.jwt.principal-claim-name": setting(
    text(),
    "sub",
    "Claim of a token that holds the caller's name.",
  ),
  "spring.security.oauth2.client.provider.*.issuer-uri": optional(
    byName(webAddress()),
    "Issuer of the login provider with this name; used when `security.oauth2.provider.name` names it.",
  ),
  "spring.security.oauth2.client.provider.*.jwk-set-uri": optional(
    byName(webAddress()),
    "Where the keys of the login provider with this name are.",
  ),
  "spring.config.import": setting(
    list("folders (`configtree:/run/secrets/`, `optional:configtree:/run/secrets/`)", CONFIG_TREE),
    "",
    "Folders whose files are settings, see above.",
  ),
  "security.uac.directory": setting(path(), ".", "Folder of the access files `uac-*.xml`."),
});

/** The validated settings by their documented keys; sizes are in bytes, durations in milliseconds, paths are absolute. */
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/** Documented key of a setting. */
export type SettingKey = keyof typeof settingsSchema.shape;

/** All documented keys, in the order of the reference. */
export const SETTING_KEYS = Object.keys(settingsSchema.shape) as readonly SettingKey[];

/** What is known about a setting beside its schema. */
export function settingInfo(key: SettingKey): SettingInfo {
  const info = infos.get(settingsSchema.shape[key]);
  if (info === undefined) throw new Error(`setting "${key}" was not defined by setting() or optional()`);
  return info;
}

/** Sections for the monitor's own login, of which the API uses only the settings above; other keys there are not looked at. */
export const FOREIGN_SECTIONS = ["spring.security.oauth2.client"] as const;

const JWT = "spring.security.oauth2.resourceserver.jwt";

/** Keys that are no longer supported, and what replaces each (specification, "Authentication" 5). */
export const REMOVED_KEYS = {
  "security.oauth2.provider.audience": `${JWT}.audiences`,
  "security.oauth2.provider.validateIssuer": `${JWT}.issuer-uri`,
} as const satisfies Readonly<Record<string, string>>;
