package engine;

import bus.Refusal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A path such as `Account[GOLD]/Symbol[EUR/USD]`. Its segments are kept by key, so paths that name the same node are equal,
 * whatever the order in which they are written. The empty path is the root.
 */
record ProjectionPath(Map<String, String> segments) {
  /** What an order has, and so what trading can be halted by. */
  static final List<String> KEYS = List.of("Source", "Account", "Symbol");

  /** A malformed path is rejected. */
  static ProjectionPath read(String text) {
    Map<String, String> segments = new TreeMap<>();
    String rest = text;
    while (!rest.isEmpty()) {
      int opened = rest.indexOf('[');
      // A "]" ends a value only at the end or before "/"; behind that there has to be a segment.
      int closed = rest.indexOf("]/");
      if (closed < 0) closed = rest.endsWith("]") ? rest.length() - 1 : -1;
      boolean isLast = closed == rest.length() - 1;
      if (opened < 0 || closed <= opened + 1 || closed + 2 == rest.length()) {
        throw malformed(text, "expected Key[value] segments joined by /");
      }
      String key = rest.substring(0, opened);
      if (!KEYS.contains(key)) throw malformed(text, "unknown projection key \"" + key + "\"");
      if (segments.put(key, rest.substring(opened + 1, closed)) != null) {
        throw malformed(text, "projection key \"" + key + "\" is given twice");
      }
      rest = isLast ? "" : rest.substring(closed + 2);
    }
    return new ProjectionPath(segments);
  }

  private static Refusal malformed(String text, String reason) {
    return Refusal.rejected("projection path \"" + text + "\": " + reason);
  }

  boolean isRoot() {
    return segments.isEmpty();
  }

  /** Whether an order with these values belongs to the node. */
  boolean holds(Map<String, String> values) {
    return values.entrySet().containsAll(segments.entrySet());
  }

  @Override
  public String toString() {
    return segments.entrySet().stream()
        .map(segment -> segment.getKey() + "[" + segment.getValue() + "]")
        .collect(Collectors.joining("/"));
  }
}
