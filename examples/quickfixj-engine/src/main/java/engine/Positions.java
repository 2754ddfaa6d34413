package engine;

import bus.Input;
import bus.Refusal;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Positions by account and symbol. A node exists from its first order or adjustment on. */
final class Positions {
  static final String PROJECTION = "Account/Symbol";

  private record Node(String account, String symbol) {}

  private final Map<Node, Position> nodes = new LinkedHashMap<>();

  synchronized List<Position.View> list(String projection, Map<String, String> filters) {
    if (!projection.equals(PROJECTION)) {
      throw Refusal.rejected("\"" + projection + "\" is not a position projection; configured is " + PROJECTION);
    }
    for (String filter : filters.keySet()) {
      if (Set.of("account", "symbol").contains(filter)) continue;
      throw Refusal.rejected("filter \"" + filter + "\" does not apply, only these do: account, symbol");
    }
    return nodes.values().stream()
        .filter(position -> position.account.equals(filters.getOrDefault("account", position.account)))
        .filter(position -> position.symbol.equals(filters.getOrDefault("symbol", position.symbol)))
        .map(Position::view)
        .toList();
  }

  synchronized void adjust(Input input) {
    BigDecimal size = Input.decimal("size", input.text("size"));
    boolean relative = input.flag("relative");
    Position.Tracked cost = tracked(input, "averageCost");
    Position.Tracked realized = tracked(input, "realizedPnL");
    String path = input.text("projectionPath");
    Map<String, String> segments = ProjectionPath.read(path).segments();
    if (!segments.keySet().equals(Set.of("Account", "Symbol"))) {
      throw Refusal.rejected("\"" + path + "\" is not a node of " + PROJECTION);
    }
    node(segments.get("Account"), segments.get("Symbol")).adjust(size, relative, cost, realized);
  }

  private static Position.Tracked tracked(Input input, String name) {
    String text = input.optionalText(name);
    boolean isNumber = text != null && !text.equals("NaN");
    return new Position.Tracked(text != null, isNumber ? Input.decimal(name, text) : null);
  }

  synchronized void addOpen(Order order, BigDecimal change) {
    node(order.account, order.symbol).addOpen(order.isBuy(), change);
  }

  synchronized void fill(Order order, BigDecimal size, BigDecimal price) {
    node(order.account, order.symbol).fill(order.isBuy() ? size : size.negate(), price);
  }

  private Position node(String account, String symbol) {
    return nodes.computeIfAbsent(new Node(account, symbol), node -> new Position(account, symbol));
  }
}
