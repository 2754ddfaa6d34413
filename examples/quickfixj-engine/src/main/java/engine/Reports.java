package engine;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import quickfix.FieldNotFound;
import quickfix.Message;
import quickfix.field.*;
import quickfix.fix44.ExecutionReport;
import quickfix.fix44.NewOrderSingle;
import quickfix.fix44.OrderCancelReject;
import quickfix.fix44.OrderCancelRequest;

/** The FIX messages that the engine makes. Numbers are copied as the text that came, so that no digit is lost. */
final class Reports {
  private static final int[] KEPT_OF_ORDER = {Account.FIELD, Symbol.FIELD, Side.FIELD, OrderQty.FIELD, OrdType.FIELD, Price.FIELD, TimeInForce.FIELD};
  private static final int[] KEPT_OF_REPORT = {LastQty.FIELD, LastPx.FIELD, Text.FIELD, OrdRejReason.FIELD};

  private Reports() {}

  /** A client's order, as it goes to the venue. */
  static Message toVenue(Order order, Message request) throws FieldNotFound {
    Message copy = new NewOrderSingle();
    copy.setString(ClOrdID.FIELD, order.id);
    copy.setUtcTimeStamp(TransactTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), true);
    copy(KEPT_OF_ORDER, request, copy);
    return copy;
  }

  static Message cancel(Order order, String requestId) {
    Message cancel = new OrderCancelRequest();
    cancel.setString(ClOrdID.FIELD, requestId);
    cancel.setString(OrigClOrdID.FIELD, order.id);
    cancel.setString(Symbol.FIELD, order.symbol);
    cancel.setChar(Side.FIELD, order.side);
    cancel.setUtcTimeStamp(TransactTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), true);
    return cancel;
  }

  /** A venue's report, as it goes to the client. */
  static Message forwarded(Order order, Message report) throws FieldNotFound {
    Message copy = report(order, report.getChar(ExecType.FIELD), report.getChar(OrdStatus.FIELD));
    copy(KEPT_OF_REPORT, report, copy);
    return copy;
  }

  static Message rejected(Order order, int reason, String text) {
    Message report = report(order, ExecType.REJECTED, OrdStatus.REJECTED);
    report.setInt(OrdRejReason.FIELD, reason);
    report.setString(Text.FIELD, text);
    return report;
  }

  private static Message report(Order order, char type, char status) {
    Message report = new ExecutionReport();
    boolean isCancel = type == ExecType.CANCELED && order.cancelId != null;
    report.setString(OrderID.FIELD, order.id);
    report.setString(ExecID.FIELD, order.id + "-" + ++order.reports);
    report.setChar(ExecType.FIELD, type);
    report.setChar(OrdStatus.FIELD, status);
    report.setString(ClOrdID.FIELD, isCancel ? order.cancelId : order.clientId);
    if (isCancel) report.setString(OrigClOrdID.FIELD, order.clientId);
    if (!order.account.isEmpty()) report.setString(Account.FIELD, order.account);
    report.setString(Symbol.FIELD, order.symbol);
    report.setChar(Side.FIELD, order.side);
    report.setString(OrderQty.FIELD, order.size.toPlainString());
    report.setString(CumQty.FIELD, order.filled.toPlainString());
    report.setString(LeavesQty.FIELD, order.open.toPlainString());
    report.setString(AvgPx.FIELD, order.averagePrice);
    return report;
  }

  /** @param orderId the engine's, or NONE */
  static Message cancelRejected(String orderId, char status, Message request, String text) throws FieldNotFound {
    return cancelRejected(orderId, status, request.getString(ClOrdID.FIELD), request.getString(OrigClOrdID.FIELD), text);
  }

  static Message cancelRejected(String orderId, char status, String requestId, String clientId, String text) {
    Message reject = new OrderCancelReject();
    reject.setString(OrderID.FIELD, orderId);
    reject.setString(ClOrdID.FIELD, requestId);
    reject.setString(OrigClOrdID.FIELD, clientId);
    reject.setChar(OrdStatus.FIELD, status);
    reject.setChar(CxlRejResponseTo.FIELD, CxlRejResponseTo.ORDER_CANCEL_REQUEST);
    reject.setString(Text.FIELD, text);
    return reject;
  }

  private static void copy(int[] fields, Message from, Message to) throws FieldNotFound {
    for (int field : fields) {
      if (from.isSetField(field)) to.setString(field, from.getString(field));
    }
  }
}
