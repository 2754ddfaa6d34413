package bus;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Commands take effect in the order in which they arrived at their gateways (docs/engine/bus.md, "Order"). */
final class ArrivalOrder {
  private static final int MAX_TARGETS = 1000;
  private static final double NEVER = Double.NEGATIVE_INFINITY;
  /** The changes that take a stop back, and the stops that can be taken back: nothing takes a disconnect back. */
  private static final Set<String> UNDOING = Set.of("resumeTrading", "enableService", "enableFixSession");
  private static final Set<String> UNDONE = Set.of("haltTrading", "disableService", "disableFixSession");

  private record Key(String subject, Set<String> target) {
    static Key of(Request request) {
      return new Key(request.operation().subject(), request.target());
    }

    /** A system-wide halt holds everything, services and sessions too. */
    boolean holds(Request request) {
      boolean same = subject.equals(request.operation().subject()) && request.target().containsAll(target);
      return same || subject.equals("trading") && target.isEmpty();
    }
  }

  private record Undone(double arrived, double within) {}

  private final Map<Key, Double> stops = new LinkedHashMap<>();
  private final Map<Key, Undone> undone = new LinkedHashMap<>();
  private double forgotten = NEVER;

  /** Refuses a command that must not begin. */
  void check(Request request) {
    double latest = request.arrived() + request.within();
    if (UNDONE.contains(request.operation().name())) {
      Undone later = undone.get(Key.of(request));
      if (later != null && later.arrived - later.within > latest) {
        throw Refusal.rejected("A change that undoes this stop arrived later and was carried out; nothing was changed");
      }
    }
    if (request.is(Operation.Lane.CHANGE) && Math.max(lastStop(request), forgotten) > latest) {
      // Gateways that send no arrival do not know the other code.
      int code = request.context().arrived() == null ? Refusal.REJECTED : Refusal.STOP_CAME_FIRST;
      throw new Refusal(code, "A stop arrived after this change and came first; nothing was changed");
    }
  }

  private double lastStop(Request request) {
    return stops.entrySet().stream()
        .filter(stop -> stop.getKey().holds(request))
        .mapToDouble(Map.Entry::getValue).max().orElse(NEVER);
  }

  /** Notes a stop before it begins: it may have to wait, and changes that arrived before it must not pass it. */
  void received(Request request) {
    if (!request.is(Operation.Lane.STOP)) return;
    Key key = Key.of(request);
    Double before = stops.remove(key);
    stops.put(key, before == null ? request.arrived() : Math.max(before, request.arrived()));
    if (stops.size() <= MAX_TARGETS) return;
    forgotten = Math.max(forgotten, stops.remove(stops.keySet().iterator().next()));
  }

  /** Notes a command that was carried out. */
  void carriedOut(Request request) {
    if (!UNDOING.contains(request.operation().name())) return;
    Key key = Key.of(request);
    Undone before = undone.remove(key);
    Undone now = new Undone(request.arrived(), request.within());
    undone.put(key, before == null || before.arrived < now.arrived ? now : before);
    if (undone.size() > MAX_TARGETS) undone.remove(undone.keySet().iterator().next());
  }
}
