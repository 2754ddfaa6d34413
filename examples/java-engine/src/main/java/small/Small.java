package small;

import bus.BusServer;
import bus.Dispatcher.Handler;
import bus.Input;
import bus.Options;
import bus.Refusal;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;

/** A part of the contract in front of an engine that exists already: it is halted as a whole, and its positions are read. */
public final class Small {
  private static final String PROJECTION = "Account/Symbol";
  private static final int PRICE_PLACES = 4;

  /** Stands for your engine, whatever it is called there. Its own threads trade meanwhile. */
  static final class Desk {
    record State(boolean isRunning, String why) {}

    record Holding(String account, String symbol, long size, double cost) {}

    volatile State state = new State(true, null);

    List<Holding> book() {
      return List.of(new Holding("GOLD", "AAPL", 100, 187.2500000001), new Holding("SILVER", "MSFT", -40, 402.1));
    }
  }

  /** Results have the names of the contract. What this engine does not know is null; every field must be there. */
  record Status(String projectionPath, boolean halted, String reason) {}

  record Position(
      String projection, String account, String symbol, BigDecimal size, BigDecimal averageCost, BigDecimal realizedPnL,
      BigDecimal unrealizedPnL, BigDecimal marketValue, BigDecimal totalCommission, BigDecimal openBuySize,
      BigDecimal openSellSize) {}

  private final Desk desk;

  private Small(Desk desk) {
    this.desk = desk;
  }

  /** The operations that this engine has. Add one after the other; callers are told that it does not support the others. */
  private Map<String, Handler> operations() {
    Map<String, Handler> table = new LinkedHashMap<>();
    table.put("getTradingStatus", this::status);
    // Where there are orders, the flag cancelOrders asks for their cancellation.
    table.put("haltTrading", Handler.ofCommand(input -> run(input, false)));
    table.put("resumeTrading", Handler.ofCommand(input -> run(input, true)));
    table.put("listPositions", this::positions);
    table.put("describeEngine", input -> description(List.copyOf(table.keySet())));
    return table;
  }

  private Status status(Input input) {
    Desk.State now = desk.state;
    return new Status(root(input), !now.isRunning, now.why);
  }

  private void run(Input input, boolean runs) {
    root(input);
    desk.state = new Desk.State(runs, input.text("reason"));
  }

  private static String root(Input input) {
    String path = input.text("projectionPath");
    if (!path.isEmpty()) throw Refusal.rejected("only the whole system can be halted");
    return path;
  }

  private List<Position> positions(Input input) {
    String projection = input.text("projection");
    if (!projection.equals(PROJECTION)) {
      throw Refusal.rejected("\"" + projection + "\" is not a position projection; configured is: " + PROJECTION);
    }
    Map<String, String> filters = input.textsBut("projection");
    if (!Set.of("account", "symbol").containsAll(filters.keySet())) {
      throw Refusal.rejected("only these filters apply: account, symbol");
    }
    return desk.book().stream()
        .filter(holding -> holding.account.equals(filters.getOrDefault("account", holding.account)))
        .filter(holding -> holding.symbol.equals(filters.getOrDefault("symbol", holding.symbol)))
        .map(Small::position)
        .toList();
  }

  private static Position position(Desk.Holding holding) {
    return new Position(
        "Account[" + holding.account + "]/Symbol[" + holding.symbol + "]", holding.account, holding.symbol,
        BigDecimal.valueOf(holding.size), price(holding.cost), null, null, null, null, BigDecimal.ZERO, BigDecimal.ZERO);
  }

  /** A double has digits that no price has. One that is not a number is a value that is not known. */
  private static BigDecimal price(double value) {
    if (!Double.isFinite(value)) return null;
    return BigDecimal.valueOf(value).setScale(PRICE_PLACES, RoundingMode.HALF_EVEN).stripTrailingZeros();
  }

  private static Map<String, Object> description(List<String> operations) {
    return Map.of(
        "name", "Desk",
        "operations", operations,
        "haltKeys", List.of(),
        "projectionKeys", List.of(PROJECTION.split("/")),
        "positionProjections", List.of(PROJECTION),
        "riskTables", List.of(),
        "gatewayTypes", List.of());
  }

  public static void main(String[] arguments) {
    try {
      Options options = Options.read(arguments, Map.of());
      BusServer bus = new BusServer(options, new Small(new Desk()).operations(), Executors.newSingleThreadExecutor());
      Runtime.getRuntime().addShutdownHook(new Thread(bus::stop));
      System.out.println("engine listening on " + bus.start());
    } catch (RuntimeException failure) {
      System.err.println("The engine cannot start: " + failure.getMessage());
      System.exit(1);
    }
  }
}
