package demo;

import java.util.HashMap;
import java.util.Map;
import quickfix.*;
import quickfix.field.*;
import quickfix.fix44.ExecutionReport;
import quickfix.fix44.OrderCancelReject;

/** A venue to try the engine with: it fills market orders at 100; limit orders rest until they are cancelled. */
public final class Venue extends ApplicationAdapter {
  private final Map<String, Message> resting = new HashMap<>();
  private int reports;

  /** Arguments: port, and a folder for the sequence numbers. */
  public static void main(String[] arguments) throws Exception {
    SessionSettings settings = Settings.of("acceptor", arguments[1]);
    settings.setString("SocketAcceptAddress", "127.0.0.1");
    settings.setString("SocketAcceptPort", arguments[0]);
    Settings.add(settings, "VENUE");
    SocketAcceptor acceptor = new SocketAcceptor(
        new Venue(), new FileStoreFactory(settings), settings, Settings.QUIET, new DefaultMessageFactory());
    acceptor.start();
    System.out.println("venue listening on 127.0.0.1:" + arguments[0]);
  }

  @Override
  public void fromApp(Message message, SessionID id) throws FieldNotFound, UnsupportedMessageType {
    switch (message.getHeader().getString(MsgType.FIELD)) {
      case MsgType.ORDER_SINGLE -> order(message, id);
      case MsgType.ORDER_CANCEL_REQUEST -> cancel(message, id);
      default -> throw new UnsupportedMessageType();
    }
  }

  private void order(Message order, SessionID id) throws FieldNotFound {
    resting.put(order.getString(ClOrdID.FIELD), order);
    send(report(order, ExecType.NEW, OrdStatus.NEW, "0", order.getString(OrderQty.FIELD)), id);
    if (order.getChar(OrdType.FIELD) != OrdType.MARKET) return;
    resting.remove(order.getString(ClOrdID.FIELD));
    Message fill = report(order, ExecType.TRADE, OrdStatus.FILLED, order.getString(OrderQty.FIELD), "0");
    fill.setString(LastQty.FIELD, order.getString(OrderQty.FIELD));
    fill.setString(LastPx.FIELD, "100");
    send(fill, id);
  }

  private void cancel(Message request, SessionID id) throws FieldNotFound {
    Message order = resting.remove(request.getString(OrigClOrdID.FIELD));
    if (order == null) {
      send(reject(request), id);
      return;
    }
    Message report = report(order, ExecType.CANCELED, OrdStatus.CANCELED, "0", "0");
    report.setString(OrigClOrdID.FIELD, order.getString(ClOrdID.FIELD));
    report.setString(ClOrdID.FIELD, request.getString(ClOrdID.FIELD));
    send(report, id);
  }

  private Message report(Message order, char type, char status, String filled, String leaves) throws FieldNotFound {
    Message report = new ExecutionReport();
    String venueId = "V" + order.getString(ClOrdID.FIELD);
    report.setString(OrderID.FIELD, venueId);
    report.setString(ExecID.FIELD, venueId + "-" + ++reports);
    report.setChar(ExecType.FIELD, type);
    report.setChar(OrdStatus.FIELD, status);
    for (int field : new int[] {ClOrdID.FIELD, Symbol.FIELD, Side.FIELD, OrderQty.FIELD}) {
      report.setString(field, order.getString(field));
    }
    report.setString(CumQty.FIELD, filled);
    report.setString(LeavesQty.FIELD, leaves);
    report.setString(AvgPx.FIELD, filled.equals("0") ? "0" : "100");
    return report;
  }

  private static Message reject(Message request) throws FieldNotFound {
    Message reject = new OrderCancelReject();
    reject.setString(OrderID.FIELD, "NONE");
    reject.setString(ClOrdID.FIELD, request.getString(ClOrdID.FIELD));
    reject.setString(OrigClOrdID.FIELD, request.getString(OrigClOrdID.FIELD));
    reject.setChar(OrdStatus.FIELD, OrdStatus.FILLED);
    reject.setChar(CxlRejResponseTo.FIELD, CxlRejResponseTo.ORDER_CANCEL_REQUEST);
    reject.setString(Text.FIELD, "The order does not rest here");
    return reject;
  }

  private static void send(Message message, SessionID id) {
    try {
      Session.sendToTarget(message, id);
    } catch (SessionNotFound failure) {
      throw new IllegalStateException(failure);
    }
  }
}
