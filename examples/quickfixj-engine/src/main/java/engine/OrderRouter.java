package engine;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import quickfix.FieldNotFound;
import quickfix.Message;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.field.*;

/**
 * Takes clients' orders, checks them and sends them to the venue; brings the venue's reports to the clients. FIX sessions and
 * gateways call from separate threads; one at a time gets in, so no order slips between a check and a halt.
 */
final class OrderRouter {
  private static final int HALTED = OrdRejReason.BROKER_EXCHANGE_OPTION;

  private final KillSwitch killSwitch;
  private final RiskTable risk;
  private final Positions positions;
  private final Connector venue;
  /** Another one for each start, so that no id comes twice. */
  private final String prefix = Long.toString(System.currentTimeMillis(), 36).toUpperCase() + "-";
  private final Map<String, Order> working = new LinkedHashMap<>();
  private final Map<SessionID, Map<String, Order>> byClient = new HashMap<>();
  private int lastId;

  OrderRouter(KillSwitch killSwitch, RiskTable risk, Positions positions, Connector venue) {
    this.killSwitch = killSwitch;
    this.risk = risk;
    this.positions = positions;
    this.venue = venue;
  }

  /** A halt counts for the next order; its cancellations are requested before it returns. */
  synchronized void halt(String path, String reason, boolean cancelOrders) {
    killSwitch.halt(path, reason);
    if (!cancelOrders) return;
    for (Order order : List.copyOf(working.values())) send(Reports.cancel(order, nextId()), venue.session());
  }

  synchronized void newOrder(Message request, FixSession session) throws FieldNotFound {
    Order order = new Order(nextId(), session.id, request);
    String halted = session.isDisabled() ? FixSession.DISABLED : killSwitch.refusal(order.values());
    String exceeded = risk.refusal(order.account, order.symbol, order.size);
    Map<String, Order> ofClient = byClient.computeIfAbsent(session.id, id -> new HashMap<>());
    if (halted != null) refuse(order, HALTED, halted);
    else if (order.account.isEmpty()) refuse(order, OrdRejReason.UNKNOWN_ACCOUNT, "Account (1) is required");
    else if (order.size.signum() <= 0) refuse(order, OrdRejReason.INCORRECT_QUANTITY, "OrderQty (38) must be above zero");
    else if (ofClient.containsKey(order.clientId)) refuse(order, OrdRejReason.DUPLICATE_ORDER, "ClOrdID (11) was used before");
    else if (exceeded != null) refuse(order, OrdRejReason.ORDER_EXCEEDS_LIMIT, exceeded);
    else if (venue.refusal() != null) refuse(order, OrdRejReason.BROKER_EXCHANGE_OPTION, venue.refusal());
    else accept(order, request, ofClient);
  }

  private void accept(Order order, Message request, Map<String, Order> ofClient) throws FieldNotFound {
    ofClient.put(order.clientId, order);
    working.put(order.id, order);
    setOpen(order, order.size);
    send(Reports.toVenue(order, request), venue.session());
  }

  private void refuse(Order order, int reason, String text) {
    send(Reports.rejected(order, reason, text), order.client);
  }

  /** Cancels always pass, halted or not. */
  synchronized void cancel(Message request, SessionID client) throws FieldNotFound {
    Order order = byClient.getOrDefault(client, Map.of()).get(request.getString(OrigClOrdID.FIELD));
    if (order == null) {
      send(Reports.cancelRejected("NONE", OrdStatus.REJECTED, request, "Unknown order"), client);
    } else if (!working.containsKey(order.id)) {
      send(Reports.cancelRejected(order.id, OrdStatus.FILLED, request, "The order works no more"), client);
    } else {
      order.cancelId = request.getString(ClOrdID.FIELD);
      send(Reports.cancel(order, nextId()), venue.session());
    }
  }

  /** An execution report of the venue. */
  synchronized void report(Message report) throws FieldNotFound {
    Order order = orderOf(report);
    if (order == null) return;
    char type = report.getChar(ExecType.FIELD);
    if (type == ExecType.TRADE) {
      BigDecimal size = report.getDecimal(LastQty.FIELD);
      positions.fill(order, size, report.getDecimal(LastPx.FIELD));
      order.filled = order.filled.add(size);
      order.averagePrice = report.getString(AvgPx.FIELD);
    }
    char status = report.getChar(OrdStatus.FIELD);
    boolean isDone = "248C".indexOf(status) >= 0;
    setOpen(order, isDone ? BigDecimal.ZERO : order.size.subtract(order.filled));
    if (isDone) working.remove(order.id);
    send(Reports.forwarded(order, report), order.client);
  }

  /** The venue did not cancel. */
  synchronized void cancelReject(Message reject) throws FieldNotFound {
    Order order = orderOf(reject);
    if (order == null || order.cancelId == null) return;
    String text = reject.isSetField(Text.FIELD) ? reject.getString(Text.FIELD) : "The venue rejected the cancel";
    send(Reports.cancelRejected(order.id, reject.getChar(OrdStatus.FIELD), order.cancelId, order.clientId, text), order.client);
    order.cancelId = null;
  }

  /** What a message of the venue is about; null for an order of a former start, which nobody here remembers. */
  private Order orderOf(Message message) throws FieldNotFound {
    int field = message.isSetField(OrigClOrdID.FIELD) ? OrigClOrdID.FIELD : ClOrdID.FIELD;
    Order order = working.get(message.getString(field));
    if (order == null) System.err.println("No working order for " + message.toString().replace('\u0001', '|'));
    return order;
  }

  private void setOpen(Order order, BigDecimal open) {
    positions.addOpen(order, open.subtract(order.open));
    order.open = open;
  }

  private String nextId() {
    return prefix + ++lastId;
  }

  /** What cannot be sent now is kept by its session, and sent when the peer asks for it again. */
  private static void send(Message message, SessionID session) {
    try {
      Session.sendToTarget(message, session);
    } catch (SessionNotFound failure) {
      throw new IllegalStateException(failure);
    }
  }
}
