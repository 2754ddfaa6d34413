import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, ROOT, requireDeclarations } from "./build.ts";
import { openConsumer } from "./consumer.ts";
import { declaredNames, type ExportedNames } from "./names.ts";

/** The public surface, name by name. A change here is a change for every user. */
const SURFACE: Readonly<Record<string, { readonly values: string; readonly types: string }>> = {
  "trading-admin-api": {
    values: `ADMIN_ERRORS AUTHENTICATION_METHODS AdminApi AdminError DEFAULT_CAPACITIES PERMISSIONS ProjectionSyntaxError STANDARD_PROJECTION_KEYS
      buildOperations operationNames operations parseProjection parseProjectionPath principal printProjection
      printProjectionPath projectionKeys systemClock`,
    types: `AbandonedTrail ActiveStop AdminApiOptions AdminErrorCode AdminEvents ApprovedRequest AuditRecord AuditSink AuditStage AuthenticationMethod
      CallContext CallDocs CallName CallReport Calls Clock Confirmation Direction EngineInput ErrorBody
      ExtensionName Extensions FailedLogin FieldCondition Input Lane LaneCapacities LaneLoad LastCommand LinkState Logger LoginStage LostStop MaxEntries Neighbours NoticedStage Operation
      OperationExample OperationName Operations Outcome Output PathSegment Permission Policy PolicyContext
      PolicyRequest Prepared Principal ProjectionKeys RequestArrival RetryClass StateBefore StopsView Tag TruncatedValue UnknownFields`,
  },
  "trading-admin-api/extend": {
    values: "Gate LongList StopPriority TransportError ValidInput httpHandler",
    types: `AdminHttpOptions Authentication Authenticator BodyQuota BusMethod Caller EngineContext EngineExchange EngineRefusal EngineReply
      EngineRequest EngineTransport HttpHandler HttpRequest HttpResponse InputSource Job OutputForm
      PresentedCredentials Priority ReplyTime RequestBody TransportFault Turns`,
  },
  "trading-admin-api/node": {
    values: "adminHandler deferContinue guardServer",
    types:
      "AdminHandlerOptions AdminHttpOptions GuardOptions NodeListener ResponseListener ResponseReport TrustedProxies",
  },
  "trading-admin-api/express": {
    values: "adminMiddleware keepRawBody",
    types: "AdminErrorMiddleware AdminHttpOptions AdminMiddleware Next TrustedProxies",
  },
  "trading-admin-api/auth": {
    values: `SecurityFileError basicAuthenticator closedAuthenticator firstOf hashPassword openLdapAuthentication openSimpleAuthentication
      openTokenAuthentication`,
    types: `Authentication Authenticator AuthorityMapping BasicAuthenticator BasicAuthenticatorOptions Caller Environment FilePosition KeySetState KnownUser LdapAuthentication
      LdapAuthenticationOptions
      LoginFailure PresentedCredentials SharedLoginFailures SimpleAuthentication SimpleAuthenticationOptions TokenAuthentication TokenAuthenticationOptions`,
  },
  "trading-admin-api/audit": {
    values: "AuditFileError openAuditFile verifyAuditFiles",
    types: "AuditFile AuditFileOptions AuditFinding AuditVerification ChainPosition OpenIntent",
  },
  "trading-admin-api/client": {
    values: `AdminClientError AppliedError DeniedError NotAppliedError NotConfirmedError OutcomeUnknownError ReadFailedError
      TokenRequestError basic bearer clientCredentials confirmApplied confirmHalted confirmResumed confirmServiceDisabled
      confirmServiceEnabled confirmSessionDisabled confirmSessionDisconnected confirmSessionEnabled createClient`,
    types: `AdminClient AdminWarning ApprovedRequest CallOptions ClientCredentialsOptions ClientOptions ConfirmAppliedOptions ConfirmHaltedOptions ConfirmOptions
      ConfirmedOperation ConfirmedState Credentials FailureDetails Fetch FetchResponse MutationOutcome
      ReadRetries TokenSource`,
  },
  "trading-admin-api/console": {
    values: "consolePage",
    types: "ConsoleOptions HttpDocument RecordedApi",
  },
  "trading-admin-api/engine": {
    values: "EngineRejection InstallationError SimulatedEngine loadInstallation parseInstallation serveEngine",
    types: `Attributes BusInput BusMethod BusOutput Engine EngineBus EngineHandler EngineMethod EngineReadName EngineReads FixPort FixPortOptions Installation OrderEvent OrderRequest RejectionKind Side SimulatedEngineOptions Submission Trade
      WorkingOrder`,
  },
  "trading-admin-api/gateway": {
    values: "ConfigurationError ListenError loadSettings openMonitorLog parseSettings startGateway",
    types:
      "FileOrigin Gateway GatewayAuthentication GatewayOptions LoadedSettings MonitorLog Origin Problem RequestLog ServerCertificate SettingOverrides Settings",
  },
  "trading-admin-api/openapi": {
    values: "docsPage openApiDocument openApiDocuments",
    types: `Content DescribedApi DocsPageOptions ExampleObject HeaderObject HttpDocument JsonSchema Named OpenApiDocument OpenApiOptions
      OperationObject ParameterObject Reference RequestBodyObject ResponseObject SecuritySchemeName SecuritySchemeObject`,
  },
  "trading-admin-api/policy": {
    values: "MAX_REQUESTS_PER_USER allOf freeze onlyPaths readOnly stopOnly twoPerson",
    types: `ApprovalRequest ApprovalStore Approver ChangeName FreezeOptions PathsOfUsers Policy PolicyRequest SentChange
      StoredApprovalRequest TwoPersonOptions`,
  },
  "trading-admin-api/testing": {
    values: `DEMO_LANDMARKS EngineGate FaultScript ManualClock MemoryAudit auditConformance engineConformance simulate startTestRig
      transportConformance`,
    types: `AuditFixture ConformanceCase EngineConformanceOptions EngineFixture EngineLandmarks EngineMaker Fault FaultFilter FaultKind
      InjectedRequest InjectedResponse RigTransport RigUser SessionLandmark SimulationFailure SimulationOptions SimulationReport
      Targets TestRig TestRigOptions TransportConformanceOptions TransportFixture Truthy TypedRequest UntilOptions`,
  },
  "trading-admin-api/transports/in-process": {
    values: "InProcessBus",
    types: "InProcessBusOptions",
  },
  "trading-admin-api/transports/websocket": {
    values: "EngineClock EngineWatch SeparateLanes WebSocketTransport openWebSocketBus",
    types: `BackoffOptions EngineInstance LinkEvent WebSocketBus WebSocketBusOptions WebSocketBusTls WebSocketTransportOptions
      WebSocketTransportTls`,
  },
  "trading-admin-api/transports/nats": {
    values: "EngineClock EngineWatch NatsTransport SeparateLanes openNatsBus",
    types: "EngineInstance LinkEvent NatsBus NatsBusOptions NatsConnectionOptions NatsTls NatsTransportOptions",
  },
};

function surface(kind: keyof ExportedNames): Record<string, string[]> {
  const names = Object.entries(SURFACE).map(([specifier, listed]) => [specifier, listed[kind].split(/\s+/)]);
  return Object.fromEntries(names);
}

describe("pin: the names that each entry exports", () => {
  beforeAll(requireDeclarations);

  it("in its declarations", () => {
    const declared = Object.entries(declaredNames(ENTRIES));
    const only = (kind: keyof ExportedNames): unknown =>
      Object.fromEntries(declared.map(([specifier, names]) => [specifier, names[kind]]));
    expect(only("values")).toEqual(surface("values"));
    expect(only("types")).toEqual(surface("types"));
  });

  it("D-PKG 14: with no decision in its declarations, as the package does not have them", () => {
    const declarations = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".d.ts"),
    );
    expect(declarations.length).toBeGreaterThan(ENTRIES.length - 1);
    const citing = declarations.filter((file) =>
      /\bD-[A-Z]+ \d|decisions\.md/.test(readFileSync(join(ROOT, "dist", file), "utf8")),
    );
    expect(citing).toEqual([]);
  });

  it("at run time, for a consumer that has the package installed", async () => {
    const consumer = openConsumer();
    const program = `
      const names = {};
      for (const entry of ${JSON.stringify(Object.keys(SURFACE))}) names[entry] = Object.keys(await import(entry)).sort();
      console.log(JSON.stringify(names));`;
    try {
      const { code, stdout, stderr } = await consumer.node(consumer.write("names.js", program));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toEqual(surface("values"));
    } finally {
      consumer.close();
    }
  });

  it("D-PKG 9: no value stands both in ./extend, for authors, and in an entry for hosts", () => {
    const { "trading-admin-api/extend": authors = [], ...hosts } = { ...surface("values") };
    expect(Object.entries(hosts).filter(([, names]) => names.some((name) => authors.includes(name)))).toEqual([]);
  });

  it("and nothing else can be reached", async () => {
    const consumer = openConsumer();
    const program = `
      for (const path of ["dist/index.js", "src/index.ts", "core/errors", "cli/main", "transports"]) {
        const found = await import("trading-admin-api/" + path).then(() => "found", ({ code }) => code);
        console.log(found);
      }`;
    try {
      const { stdout } = await consumer.node(consumer.write("paths.js", program));
      expect(stdout.trim().split("\n")).toEqual(Array(5).fill("ERR_PACKAGE_PATH_NOT_EXPORTED"));
    } finally {
      consumer.close();
    }
  });
});
