/** Series as promtool's unit tests write them, and what they must and must not set off. */
export interface AlertCase {
  readonly alert: string;
  /** Values every 30 s for ten minutes, in promtool's notation. */
  readonly firing: Readonly<Record<string, string>>;
  /** The same series in good order. */
  readonly quiet: Readonly<Record<string, string>>;
}

const AT = 'job="gateway", instance="a"';
const calls = (labels: string): string => `trading_admin_calls_total{${AT}, ${labels}}`;
const keys = (what: string): string => `trading_admin_key_set_${what}_timestamp_seconds{${AT}}`;

const UNKNOWN_HALT = calls('operation="haltTrading", lane="stop", status="504", outcome="unknown"');
const UNKNOWN_READ = calls('operation="listServices", lane="read", status="504", outcome="unknown"');
const SHED_HALT = calls('operation="haltTrading", lane="stop", status="429", outcome="not-sent"');
const SHED_READ = calls('operation="listServices", lane="read", status="429", outcome="not-sent"');
const CERTIFICATE = `trading_admin_certificate_expiry_timestamp_seconds{${AT}}`;
const STALL = `trading_admin_event_loop_delay_seconds{${AT}, statistic="max"}`;
const IN_FLIGHT = `trading_admin_lane_in_flight{${AT}, lane="read"}`;
const CAPACITY = `trading_admin_lane_capacity{${AT}, lane="read"}`;
const CLOCK = `trading_admin_engine_clock_offset_seconds{${AT}}`;
const FIX_CONNECTED = `trading_admin_fix_sessions{${AT}, gateway="OE1", status="Connected"}`;
const READY = `trading_admin_ready{${AT}}`;
const OTHER_READY = 'trading_admin_ready{job="gateway", instance="b"}';
const THIRD_READY = 'trading_admin_ready{job="gateway", instance="c"}';
const STATES = `trading_admin_engine_states{${AT}}`;
const linkEvents = (kind: string): string => `trading_admin_engine_link_events_total{${AT}, kind="${kind}"}`;

/** Time in these tests begins at 0; ten minutes are 600 s. One case at least for each alert. */
export const ALERT_CASES: readonly AlertCase[] = [
  { alert: "TradingAdminOutcomeUnknown", firing: { [UNKNOWN_HALT]: "0x18 1 1" }, quiet: { [UNKNOWN_READ]: "0+5x20" } },
  { alert: "TradingAdminStopNotSent", firing: { [SHED_HALT]: "0x18 1 1" }, quiet: { [SHED_READ]: "0+5x20" } },
  {
    alert: "TradingAdminStateLost",
    firing: { [`trading_admin_state_lost_total{${AT}}`]: "0x18 1 1" },
    quiet: { [`trading_admin_state_lost_total{${AT}}`]: "3x20" },
  },
  {
    alert: "TradingAdminContradiction",
    firing: { [`trading_admin_contradictions_total{${AT}}`]: "0x18 1 1" },
    quiet: { [`trading_admin_contradictions_total{${AT}}`]: "3x20" },
  },
  {
    alert: "TradingAdminIntentsCutOff",
    firing: { [`trading_admin_intents_cut_off_total{${AT}}`]: "2x20" },
    quiet: { [`trading_admin_intents_cut_off_total{${AT}}`]: "0x20" },
  },
  {
    alert: "TradingAdminHalted",
    firing: { [`trading_admin_halted_nodes{${AT}}`]: "1x20" },
    quiet: { [`trading_admin_halted_nodes{${AT}}`]: "1x17 0 1 1" },
  },
  {
    alert: "TradingAdminServicesDisabled",
    firing: { [`trading_admin_disabled_services{${AT}}`]: "2x20" },
    quiet: { [`trading_admin_disabled_services{${AT}}`]: "0x20" },
  },
  {
    alert: "TradingAdminFixSessionsLost",
    firing: { [FIX_CONNECTED]: "10x15 4x4" },
    quiet: { [FIX_CONNECTED]: "10x15 5x4" },
  },
  { alert: "TradingAdminFixSessionsLost", firing: { [FIX_CONNECTED]: "1x15 0x4" }, quiet: { [FIX_CONNECTED]: "0x20" } },
  {
    alert: "TradingAdminAuditFailure",
    firing: { [`trading_admin_audit_failures_total{${AT}, lane="stop"}`]: "0x18 1 1" },
    quiet: { [`trading_admin_audit_failures_total{${AT}, lane="stop"}`]: "3x20" },
  },
  {
    alert: "TradingAdminAuditSlow",
    firing: { [`trading_admin_audit_pending_records{${AT}}`]: "101x20" },
    quiet: { [`trading_admin_audit_pending_records{${AT}}`]: "100x20" },
  },
  {
    alert: "TradingAdminAuditStreamBehind",
    firing: { [`trading_admin_audit_stream_behind_records{${AT}}`]: "0x9 1x10" },
    quiet: { [`trading_admin_audit_stream_behind_records{${AT}}`]: "1000x15 0 5x3" },
  },
  {
    alert: "TradingAdminAuditStreamBehind",
    firing: { [`trading_admin_audit_stream_behind_records{${AT}}`]: "1001x20" },
    // A gateway that has just started.
    quiet: { [`trading_admin_audit_stream_behind_records{${AT}}`]: "_x19 1001" },
  },
  {
    alert: "TradingAdminEngineLinkDown",
    firing: { [`trading_admin_engine_link_up{${AT}}`]: "0x20" },
    quiet: { [`trading_admin_engine_link_up{${AT}}`]: "1x19 0" },
  },
  {
    alert: "TradingAdminEngineLinkUnstable",
    firing: { [`trading_admin_engine_link_events_total{${AT}, kind="up"}`]: "0+1x20" },
    quiet: { [`trading_admin_engine_link_events_total{${AT}, kind="up"}`]: "0 1x19" },
  },
  {
    alert: "TradingAdminEngineRestarted",
    firing: { [linkEvents("restarted")]: "0x18 1 1" },
    quiet: { [linkEvents("restarted")]: "3x20", [linkEvents("up")]: "0+1x20" },
  },
  {
    alert: "TradingAdminEnginesSplit",
    firing: { [STATES]: "1x17 2x3" },
    quiet: { [STATES]: "1x17 2 1 1" },
  },
  {
    alert: "TradingAdminReplyNearLimit",
    firing: { [linkEvents("near-limit")]: "0x18 1 1" },
    quiet: { [linkEvents("near-limit")]: "2x20" },
  },
  { alert: "TradingAdminEngineClockOff", firing: { [CLOCK]: "-3x20" }, quiet: { [CLOCK]: "1x19 3" } },
  { alert: "TradingAdminEngineClockOff", firing: { [CLOCK]: "3x20" }, quiet: { [CLOCK]: "2x20" } },
  { alert: "TradingAdminShedding", firing: { [SHED_READ]: "0+10x20" }, quiet: { [SHED_HALT]: "0+10x20" } },
  {
    alert: "TradingAdminLaneNearlyFull",
    firing: { [IN_FLIGHT]: "230x20", [CAPACITY]: "256x20" },
    quiet: { [IN_FLIGHT]: "200x20", [CAPACITY]: "256x20" },
  },
  {
    alert: "TradingAdminInternalFailure",
    firing: { [`trading_admin_failures_total{${AT}, code="INTERNAL"}`]: "0x18 1 1" },
    quiet: { [`trading_admin_failures_total{${AT}, code="ENGINE_UNAVAILABLE"}`]: "0+9x20" },
  },
  {
    alert: "TradingAdminInvalidFields",
    firing: { [`trading_admin_invalid_fields_total{${AT}, operation="listFixSessions"}`]: "0x18 1 1" },
    quiet: { [`trading_admin_invalid_fields_total{${AT}, operation="listFixSessions"}`]: "3x20" },
  },
  {
    alert: "TradingAdminLoginFailures",
    firing: { [`trading_admin_failed_logins_total{${AT}, result="refused"}`]: "0+6x20" },
    quiet: { [`trading_admin_failed_logins_total{${AT}, result="refused"}`]: "0+4x20" },
  },
  // Fetched 25 minutes before the test began, and at its begin.
  { alert: "TradingAdminKeySetStale", firing: { [keys("fetched")]: "-1500x20" }, quiet: { [keys("fetched")]: "0x20" } },
  {
    alert: "TradingAdminKeySetExpiring",
    firing: { [keys("fetched")]: "-42000x20", [keys("expiry")]: "1200x20" },
    quiet: { [keys("fetched")]: "0x20", [keys("expiry")]: "43200x20" },
  },
  {
    alert: "TradingAdminKeySetExpiring",
    firing: { [keys("fetched")]: "0x20", [keys("expiry")]: "0x20" },
    quiet: { [keys("fetched")]: "500x20", [keys("expiry")]: "700x20" },
  },
  {
    alert: "TradingAdminCertificateExpiry",
    firing: { [CERTIFICATE]: "1000000x20" },
    quiet: { [CERTIFICATE]: "1300000x20" },
  },
  {
    alert: "TradingAdminCertificateExpired",
    firing: { [CERTIFICATE]: "80000x20" },
    quiet: { [CERTIFICATE]: "90000x20" },
  },
  { alert: "TradingAdminEventLoopStall", firing: { [STALL]: "0.01x18 0.6 0.6" }, quiet: { [STALL]: "0.4x20" } },
  {
    alert: "TradingAdminConnectionsFull",
    firing: { [`trading_admin_connections_dropped_total{${AT}}`]: "0x18 9 9" },
    quiet: { [`trading_admin_connections_dropped_total{${AT}}`]: "9x20" },
  },
  {
    alert: "TradingAdminLogLinesLost",
    firing: { [`trading_admin_log_lines_lost_total{${AT}}`]: "0x18 9 9" },
    quiet: { [`trading_admin_log_lines_lost_total{${AT}}`]: "9x20" },
  },
  { alert: "TradingAdminNotReady", firing: { [READY]: "0x20" }, quiet: { [READY]: "1x17 0 0 0" } },
  {
    alert: "TradingAdminRedundancyLost",
    firing: { [READY]: "1x20", [OTHER_READY]: "1x12 stale" },
    quiet: { [READY]: "1x20", [OTHER_READY]: "1x12 stale stale 1x6" },
  },
  {
    alert: "TradingAdminRedundancyLost",
    firing: { [READY]: "1x20", [OTHER_READY]: "1x12 0x8" },
    // A third one for a moment, as in a rolling restart.
    quiet: {
      [READY]: "1x20",
      [OTHER_READY]: "1x20",
      [THIRD_READY]: "_x8 1 1 stale",
    },
  },
  { alert: "TradingAdminGone", firing: { [READY]: "0x20" }, quiet: { [READY]: "1x20" } },
  { alert: "TradingAdminGone", firing: {}, quiet: { [READY]: "0x18 1 1" } },
];

/** The unit tests of promtool for some rules. */
export function promtoolTests(ruleFile: string): object {
  const cases = ALERT_CASES.flatMap(({ alert, firing, quiet }) => [
    { alert, series: firing, fires: true },
    { alert, series: quiet, fires: false },
  ]);
  return {
    rule_files: [ruleFile],
    evaluation_interval: "30s",
    tests: cases.map(({ alert, series, fires }) => ({
      name: `${alert} ${fires ? "fires" : "is quiet"}`,
      interval: "30s",
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert}", alertstate="firing"}) or vector(0)`,
          eval_time: "10m",
          exp_samples: [{ labels: "{}", value: fires ? 1 : 0 }],
        },
      ],
    })),
  };
}
