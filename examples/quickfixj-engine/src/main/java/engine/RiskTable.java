package engine;

import bus.Input;
import bus.Refusal;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The risk table of this engine: the largest size of an order, by account and symbol. An update is all or nothing. */
final class RiskTable {
  static final String PROJECTION = "Account/Symbol";
  static final String LIMIT = "MaxOrderSize";
  private static final List<String> KEYS = List.of("Account", "Symbol");
  private static final String ANY = "*";

  record Table(String projection, List<Row> rows) {}

  record Row(Map<String, String> conditions, Map<String, BigDecimal> limits) {}

  /** By the values of the conditions, in the order of the keys. A limit that is null is unlimited. */
  private Map<List<String>, BigDecimal> rows = new LinkedHashMap<>();

  RiskTable(BigDecimal maxOrderSize) {
    rows.put(List.of(ANY, ANY), maxOrderSize);
  }

  synchronized Table read(String projection) {
    check(projection);
    return new Table(projection, rows.entrySet().stream().map(RiskTable::row).toList());
  }

  private static Row row(Map.Entry<List<String>, BigDecimal> entry) {
    Map<String, String> conditions = new LinkedHashMap<>();
    for (int index = 0; index < KEYS.size(); index++) conditions.put(KEYS.get(index), entry.getKey().get(index));
    Map<String, BigDecimal> limits = new LinkedHashMap<>();
    limits.put(LIMIT, entry.getValue());
    return new Row(conditions, limits);
  }

  synchronized Table update(String projection, JsonNode commands) {
    check(projection);
    Map<List<String>, BigDecimal> after = new LinkedHashMap<>(rows);
    for (int index = 0; index < commands.size(); index++) {
      JsonNode command = commands.get(index);
      String reason = apply(after, command);
      if (reason != null) {
        throw Refusal.rejected("commands[" + index + "] (" + command.path("type").asText() + "): " + reason);
      }
    }
    rows = after;
    return read(projection);
  }

  private static void check(String projection) {
    if (projection.equals(PROJECTION)) return;
    throw Refusal.rejected("\"" + projection + "\" has no risk table; configured is \"" + PROJECTION + "\"");
  }

  /** Returns why a command cannot be applied, or null. */
  private static String apply(Map<List<String>, BigDecimal> rows, JsonNode command) {
    JsonNode conditions = command.path("conditions");
    if (conditions.size() != KEYS.size() || !KEYS.stream().allMatch(key -> conditions.path(key).isTextual())) {
      return "conditions must be given for exactly these keys: " + String.join(", ", KEYS);
    }
    List<String> row = KEYS.stream().map(key -> conditions.get(key).textValue()).toList();
    boolean exists = rows.containsKey(row);
    switch (command.path("type").asText()) {
      case "DELETE":
        if (!exists) return "the row does not exist";
        rows.remove(row);
        return null;
      case "INSERT":
        if (exists) return "the row exists already";
        return set(rows, row, command.path("limits"));
      case "UPDATE":
        return set(rows, row, command.path("limits"));
      default:
        throw Refusal.invalid("input.commands", "type must be INSERT, UPDATE or DELETE");
    }
  }

  /** A limit that is not named keeps its value; one that nobody ever named is unlimited. */
  private static String set(Map<List<String>, BigDecimal> rows, List<String> row, JsonNode limits) {
    for (Map.Entry<String, JsonNode> limit : limits.properties()) {
      if (!limit.getKey().equals(LIMIT)) return "the table has no limit \"" + limit.getKey() + "\"; it has " + LIMIT;
    }
    JsonNode given = limits.path(LIMIT);
    if (given.isMissingNode()) rows.putIfAbsent(row, null);
    else if (given.isNull()) rows.put(row, null);
    else rows.put(row, Input.decimal("commands.limits." + LIMIT, given.isTextual() ? given.textValue() : ""));
    return null;
  }

  /** Why an order of this size is refused; null if it is not. Of the rows that match, the one with the fewest wildcards counts. */
  synchronized String refusal(String account, String symbol, BigDecimal size) {
    List<List<String>> candidates =
        List.of(List.of(account, symbol), List.of(account, ANY), List.of(ANY, symbol), List.of(ANY, ANY));
    for (List<String> row : candidates) {
      if (!rows.containsKey(row)) continue;
      BigDecimal limit = rows.get(row);
      if (limit == null || size.compareTo(limit) <= 0) return null;
      String where = "Account[" + row.get(0) + "]/Symbol[" + row.get(1) + "]";
      return LIMIT + " " + limit.toPlainString() + " of " + where + " exceeded";
    }
    return null;
  }
}
