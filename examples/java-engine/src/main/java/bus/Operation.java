package bus;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An operation of the contract.
 *
 * @param subject what it reads or changes
 * @param target the fields of its input that narrow this down
 * @param fields all fields of its input
 */
record Operation(String name, Lane lane, String subject, List<String> target, Set<String> fields) {
  enum Lane { STOP, CHANGE, READ }

  /** In the place of fields: any further ones. */
  static final String OPEN = "*";

  static final Map<String, Operation> ALL = new LinkedHashMap<>();

  private static void add(Lane lane, String subject, String name, List<String> target, String... others) {
    Set<String> fields = new LinkedHashSet<>(target);
    fields.addAll(List.of(others));
    ALL.put(name, new Operation(name, lane, subject, target, fields));
  }

  static {
    List<String> path = List.of("projectionPath");
    List<String> table = List.of("projection");
    List<String> service = List.of("name");
    List<String> gateway = List.of("gateway");
    List<String> session = List.of("gateway", "session");
    add(Lane.READ, "trading", "getTradingStatus", path);
    add(Lane.STOP, "trading", "haltTrading", path, "reason", "cancelOrders");
    add(Lane.CHANGE, "trading", "resumeTrading", path, "reason");
    add(Lane.READ, "trading", "listHalts", List.of());
    add(Lane.READ, "risk", "getRiskTable", table);
    add(Lane.CHANGE, "risk", "updateRiskTable", table, "commands");
    add(Lane.READ, "positions", "listPositions", List.of(), "projection", OPEN);
    add(Lane.CHANGE, "positions", "adjustPosition", path, "size", "relative", "averageCost", "realizedPnL");
    add(Lane.READ, "services", "listServices", List.of());
    add(Lane.READ, "services", "getService", service);
    add(Lane.STOP, "services", "disableService", service, "reason");
    add(Lane.CHANGE, "services", "enableService", service, "reason");
    add(Lane.READ, "fix", "listFixGateways", List.of());
    add(Lane.READ, "fix", "getFixGateway", gateway);
    add(Lane.READ, "fix", "listFixSessions", gateway);
    add(Lane.READ, "fix", "getFixSession", session);
    add(Lane.STOP, "fix", "disableFixSession", session);
    add(Lane.CHANGE, "fix", "enableFixSession", session);
    add(Lane.STOP, "fix", "disconnectFixSession", session);
    add(Lane.READ, "engine", "describeEngine", List.of());
  }
}
