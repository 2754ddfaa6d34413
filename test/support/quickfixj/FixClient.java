import java.io.BufferedReader;
import java.io.InputStreamReader;
import quickfix.*;
import quickfix.field.*;

/**
 * A QuickFIX/J initiator with a session for each name behind the port: sends an order of the first for each line of standard input, prints
 * what it sends and receives.
 */
public class FixClient extends ApplicationAdapter {
  public static void main(String[] arguments) throws Exception {
    SessionID id = sessionOf(arguments[1]);
    SessionSettings settings = new SessionSettings();
    settings.setString("ConnectionType", "initiator");
    settings.setString("SocketConnectHost", "127.0.0.1");
    settings.setString("SocketConnectPort", arguments[0]);
    settings.setString("ReconnectInterval", "1");
    settings.setString("HeartBtInt", "30");
    settings.setString("StartTime", "00:00:00");
    settings.setString("EndTime", "00:00:00");
    settings.setString("NonStopSession", "Y");
    settings.setString("UseDataDictionary", "Y");
    settings.setString("DataDictionary", "FIX44.xml");
    settings.setString("ValidateFieldsOutOfOrder", "Y");
    for (int at = 1; at < arguments.length; at += 1) {
      SessionID each = sessionOf(arguments[at]);
      settings.setString(each, "BeginString", "FIX.4.4");
      settings.setString(each, "SenderCompID", arguments[at]);
      settings.setString(each, "TargetCompID", "ENGINE");
    }
    FixClient client = new FixClient();
    SocketInitiator initiator =
        new SocketInitiator(client, new MemoryStoreFactory(), settings, new DefaultMessageFactory());
    initiator.start();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      if (line.equals("numbers")) {
        Session session = Session.lookupSession(id);
        print("numbers " + session.getExpectedSenderNum() + " " + session.getExpectedTargetNum());
      } else if (line.equals("test")) {
        Session.lookupSession(id).generateTestRequest("TEST");
      } else client.order(line, id);
    }
    initiator.stop();
  }

  private static SessionID sessionOf(String sender) {
    return new SessionID("FIX.4.4", sender, "ENGINE");
  }

  private void order(String clOrdId, SessionID id) throws SessionNotFound {
    Message order = new Message();
    order.getHeader().setString(MsgType.FIELD, "D");
    order.setString(ClOrdID.FIELD, clOrdId);
    order.setString(Account.FIELD, "GOLD");
    order.setString(Symbol.FIELD, "AAPL");
    order.setChar(Side.FIELD, '1');
    order.setUtcTimeStamp(TransactTime.FIELD, java.time.LocalDateTime.now(java.time.ZoneOffset.UTC), true);
    order.setString(OrderQty.FIELD, "100");
    order.setChar(OrdType.FIELD, '2');
    order.setString(Price.FIELD, "190");
    Session.sendToTarget(order, id);
  }

  private static void print(String line) {
    System.out.println(line.replace('\u0001', '|'));
    System.out.flush();
  }

  @Override public void onLogon(SessionID id) { print("logged on"); }
  @Override public void onLogout(SessionID id) { print("logged out"); }
  @Override public void toAdmin(Message message, SessionID id) { print("> " + message); }
  @Override public void fromAdmin(Message message, SessionID id) { print("< " + message); }
  @Override public void toApp(Message message, SessionID id) { print("> " + message); }
  @Override public void fromApp(Message message, SessionID id) { print("< " + message); }
}
