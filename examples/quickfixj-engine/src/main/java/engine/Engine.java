package engine;

import bus.BusServer;
import bus.Dispatcher.Handler;
import bus.Options;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import quickfix.DefaultMessageFactory;
import quickfix.FileStoreFactory;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.SocketInitiator;

/** An order router for FIX clients behind the administrative gateway. README.md says how to run it. */
public final class Engine {
  private static final String FIX = "--fix";
  private static final BigDecimal MAX_ORDER_SIZE = new BigDecimal(10000);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "bus"));
  private final KillSwitch killSwitch = new KillSwitch();
  private final RiskTable risk = new RiskTable(MAX_ORDER_SIZE);
  private final Positions positions = new Positions();
  private final FixGateways gateways;
  private final Connector venue;
  private final OrderRouter router;
  private final SocketAcceptor acceptor;
  private final SocketInitiator initiator;
  private final BusServer bus;

  private Engine(Options options) throws Exception {
    SessionSettings settings = new SessionSettings(options.others().get(FIX));
    gateways = new FixGateways(settings, thread);
    venue = new Connector(gateways.venue());
    router = new OrderRouter(killSwitch, risk, positions, venue);
    FixApplication application = new FixApplication(gateways, router);
    FileStoreFactory store = new FileStoreFactory(settings);
    acceptor = new SocketAcceptor(application, store, settings, gateways::of, new DefaultMessageFactory());
    initiator = new SocketInitiator(application, store, settings, gateways::of, new DefaultMessageFactory());
    bus = new BusServer(options, operations(), thread);
  }

  /** Take out what your engine does not have. */
  private Map<String, Handler> operations() {
    Map<String, Handler> table = new LinkedHashMap<>();
    table.put("getTradingStatus", input -> killSwitch.status(input.text("projectionPath")));
    table.put("haltTrading", Handler.ofCommand(input -> router.halt(
        input.text("projectionPath"), input.text("reason"), input.flag("cancelOrders"))));
    table.put("resumeTrading", Handler.ofCommand(input -> killSwitch.resume(input.text("projectionPath"), input.text("reason"))));
    table.put("listHalts", input -> killSwitch.halts());
    table.put("getRiskTable", input -> risk.read(input.text("projection")));
    table.put("updateRiskTable", input -> risk.update(input.text("projection"), input.list("commands")));
    table.put("listPositions", input -> positions.list(input.text("projection"), input.textsBut("projection")));
    table.put("adjustPosition", Handler.ofCommand(positions::adjust));
    table.put("listServices", input -> venue.list());
    table.put("getService", input -> venue.get(input.text("name")));
    table.put("disableService", Handler.ofCommand(input -> venue.enable(input.text("name"), false)));
    table.put("enableService", Handler.ofCommand(input -> venue.enable(input.text("name"), true)));
    table.put("listFixGateways", input -> gateways.list());
    table.put("getFixGateway", input -> gateways.get(input.text("gateway")));
    table.put("listFixSessions", input -> gateways.sessions(input.text("gateway")));
    table.put("getFixSession", input -> gateways.session(input).detail());
    table.put("disableFixSession", input -> gateways.session(input).disable());
    table.put("enableFixSession", input -> gateways.session(input).enable());
    table.put("disconnectFixSession", input -> gateways.session(input).disconnect());
    table.put("describeEngine", input -> description(List.copyOf(table.keySet())));
    return table;
  }

  /** What this engine says of itself to gateways and their users. */
  private Map<String, Object> description(List<String> operations) {
    return Map.of(
        "name", "QuickFIX/J engine",
        "operations", operations,
        "haltKeys", ProjectionPath.KEYS,
        "projectionKeys", ProjectionPath.KEYS,
        "positionProjections", List.of(Positions.PROJECTION),
        "riskTables", List.of(Map.of("projection", RiskTable.PROJECTION, "limits", List.of(RiskTable.LIMIT))),
        "gatewayTypes", gateways.types(),
        "counts", Map.of("connections", false, "messages", true, "bytes", true));
  }

  private void start() throws Exception {
    acceptor.start();
    initiator.start();
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
    System.out.println("engine listening on " + bus.start());
  }

  private void stop() {
    bus.stop();
    initiator.stop();
    acceptor.stop();
  }

  public static void main(String[] arguments) {
    try {
      new Engine(Options.read(arguments, Map.of(FIX, "fix.cfg"))).start();
    } catch (Exception failure) {
      System.err.println("The engine cannot start: " + failure.getMessage());
      System.exit(1);
    }
  }
}
