package engine;

import java.math.BigDecimal;
import java.util.Map;
import quickfix.FieldNotFound;
import quickfix.Message;
import quickfix.SessionID;
import quickfix.field.Account;
import quickfix.field.ClOrdID;
import quickfix.field.OrderQty;
import quickfix.field.Side;
import quickfix.field.Symbol;

/** An order of a client. Its own id is also the one that the venue knows. */
final class Order {
  final String id;
  final SessionID client;
  final String clientId;
  final String account;
  final String symbol;
  final char side;
  final BigDecimal size;
  BigDecimal filled = BigDecimal.ZERO;
  /** What is still in the market. */
  BigDecimal open = BigDecimal.ZERO;
  String averagePrice = "0";
  /** The client's id of its cancel request, if there was one. */
  String cancelId;
  int reports;

  Order(String id, SessionID client, Message request) throws FieldNotFound {
    this.id = id;
    this.client = client;
    this.clientId = request.getString(ClOrdID.FIELD);
    this.account = request.isSetField(Account.FIELD) ? request.getString(Account.FIELD) : "";
    this.symbol = request.getString(Symbol.FIELD);
    this.side = request.getChar(Side.FIELD);
    this.size = request.isSetField(OrderQty.FIELD) ? request.getDecimal(OrderQty.FIELD) : BigDecimal.ZERO;
  }

  boolean isBuy() {
    return side == Side.BUY;
  }

  /** What it is halted by. */
  Map<String, String> values() {
    return Map.of("Source", client.getTargetCompID(), "Account", account, "Symbol", symbol);
  }
}
