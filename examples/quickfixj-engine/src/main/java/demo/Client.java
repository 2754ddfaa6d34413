package demo;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import quickfix.*;
import quickfix.field.*;
import quickfix.fix44.NewOrderSingle;
import quickfix.fix44.OrderCancelRequest;

/**
 * A FIX client to try the engine with. It comes back each second, prints what it sends and receives, and takes lines: `ID buy 100
 * AAPL GOLD` (a price behind it makes a limit order), `cancel ID`, and `numbers` for its next MsgSeqNum and the one that it expects.
 */
public final class Client extends ApplicationAdapter {
  private final SessionID id;
  private int cancels;

  private Client(SessionID id) {
    this.id = id;
  }

  /** Arguments: port, name of the client, and a folder for the sequence numbers. */
  public static void main(String[] arguments) throws Exception {
    SessionSettings settings = Settings.of("initiator", arguments[2]);
    settings.setString("SocketConnectHost", "127.0.0.1");
    settings.setString("SocketConnectPort", arguments[0]);
    Client client = new Client(Settings.add(settings, arguments[1]));
    SocketInitiator initiator = new SocketInitiator(
        client, new FileStoreFactory(settings), settings, Settings.QUIET, new DefaultMessageFactory());
    initiator.start();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) client.take(line.trim().split(" +"));
    initiator.stop();
  }

  private void take(String[] words) throws SessionNotFound {
    if (words[0].equals("numbers")) {
      Session session = Session.lookupSession(id);
      print("numbers " + session.getExpectedSenderNum() + " " + session.getExpectedTargetNum());
    } else if (words[0].equals("cancel") && words.length == 2) {
      cancel(words[1]);
    } else if (words.length == 5 || words.length == 6) {
      order(words);
    } else {
      print("usage: ID buy|sell SIZE SYMBOL ACCOUNT [PRICE] | cancel ID | numbers");
    }
  }

  private void order(String[] words) throws SessionNotFound {
    Message order = new NewOrderSingle();
    order.setString(ClOrdID.FIELD, words[0]);
    order.setChar(Side.FIELD, words[1].equals("buy") ? Side.BUY : Side.SELL);
    order.setString(OrderQty.FIELD, words[2]);
    order.setString(Symbol.FIELD, words[3]);
    order.setString(Account.FIELD, words[4]);
    order.setChar(OrdType.FIELD, words.length == 6 ? OrdType.LIMIT : OrdType.MARKET);
    if (words.length == 6) order.setString(Price.FIELD, words[5]);
    order.setUtcTimeStamp(TransactTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), true);
    Session.sendToTarget(order, id);
  }

  private void cancel(String order) throws SessionNotFound {
    Message cancel = new OrderCancelRequest();
    cancel.setString(ClOrdID.FIELD, order + "-cancel" + ++cancels);
    cancel.setString(OrigClOrdID.FIELD, order);
    cancel.setString(Symbol.FIELD, "unused");
    cancel.setChar(Side.FIELD, Side.BUY);
    cancel.setUtcTimeStamp(TransactTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), true);
    Session.sendToTarget(cancel, id);
  }

  private static void print(String line) {
    System.out.println(line.replace('\u0001', '|'));
  }

  @Override
  public void onLogon(SessionID id) {
    print("logged on");
  }

  @Override
  public void onLogout(SessionID id) {
    print("logged out");
  }

  @Override
  public void toAdmin(Message message, SessionID id) {
    print("> " + message);
  }

  @Override
  public void fromAdmin(Message message, SessionID id) {
    print("< " + message);
  }

  @Override
  public void toApp(Message message, SessionID id) {
    print("> " + message);
  }

  @Override
  public void fromApp(Message message, SessionID id) {
    print("< " + message);
  }
}
