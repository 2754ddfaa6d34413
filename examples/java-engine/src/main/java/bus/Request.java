package bus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Set;

/** A request with valid input and context; `received` is when it was read from its connection (System.nanoTime()). */
record Request(Operation operation, Input input, Set<String> target, Context context, long received) {
  /** A clock that counts whole milliseconds may be behind by one. */
  private static final double TICK = 1;

  /** Times are milliseconds. What a gateway did not send is null. */
  record Context(long deadline, Long timeLeft, Double arrived, Double arrivedWithin, String clock) {
    /** Without the times by the clock of a former start, which say nothing. */
    Context byReceipt() {
      return new Context(deadline, timeLeft, null, null, clock);
    }
  }

  static Request read(Operation operation, JsonNode params, long received) {
    if (!(params.path("input") instanceof ObjectNode given) || !(params.path("context") instanceof ObjectNode context)) {
      throw Refusal.invalid("input, context", "must be objects");
    }
    for (String name : new String[] {"user", "requestId"}) {
      if (!context.path(name).isTextual()) throw Refusal.invalid("context." + name, "must be text");
    }
    if (!context.path("deadline").isIntegralNumber()) throw Refusal.invalid("context.deadline", "must be an integer");
    Double timeLeft = number(context, "timeLeft");
    Context times = new Context(
        context.get("deadline").longValue(), timeLeft == null ? null : timeLeft.longValue(),
        number(context, "arrived"), number(context, "arrivedWithin"), context.path("clock").textValue());
    return new Request(operation, new Input(given, operation.fields()), targetOf(operation, given), times, received);
  }

  private static Double number(ObjectNode context, String name) {
    JsonNode value = context.path(name);
    if (value.isMissingNode()) return null;
    if (!value.isNumber()) throw Refusal.invalid("context." + name, "must be a number");
    return value.doubleValue();
  }

  /** What it acts on: a target holds another if it is a subset. The whole system is the empty one. */
  private static Set<String> targetOf(Operation operation, ObjectNode input) {
    Set<String> steps = new HashSet<>();
    for (String field : operation.target()) {
      String value = input.path(field).asText();
      if (!field.equals("projectionPath")) steps.add(field + "=" + value);
      // A "]" ends a value only at the end or before "/".
      else if (!value.isEmpty()) steps.addAll(Set.copyOf(java.util.List.of(value.replaceFirst("]$", "").split("]/"))));
    }
    return steps;
  }

  boolean is(Operation.Lane lane) {
    return operation.lane() == lane;
  }

  /** When it arrived at its gateway, by the engine's clock. Nothing that has come can arrive in the future. */
  double arrived() {
    double receipt = EngineClock.at(received) + TICK;
    return context.arrived() == null ? receipt : Math.min(context.arrived(), receipt);
  }

  /** By how much that may be off. */
  double within() {
    return context.arrivedWithin() == null ? TICK : context.arrivedWithin();
  }

  /**
   * Whether nobody waits any more. A stop goes by the time left alone: it must get through if this machine's clock is off.
   * One whose arrival is known is never late: the order of arrivals decides.
   */
  boolean isLate() {
    if (is(Operation.Lane.STOP) && context.arrived() != null) return false;
    boolean pastDeadline = EngineClock.now() >= context.deadline();
    if (context.timeLeft() == null) return pastDeadline;
    boolean usedUp = (System.nanoTime() - received) / 1e6 >= context.timeLeft();
    return usedUp || is(Operation.Lane.CHANGE) && pastDeadline;
  }
}
