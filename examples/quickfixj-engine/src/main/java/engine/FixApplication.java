package engine;

import quickfix.Application;
import quickfix.FieldNotFound;
import quickfix.Message;
import quickfix.RejectLogon;
import quickfix.SessionID;
import quickfix.UnsupportedMessageType;
import quickfix.field.MsgType;
import quickfix.field.Text;

/** What QuickFIX/J tells the engine. */
final class FixApplication implements Application {
  private final FixGateways gateways;
  private final OrderRouter router;

  FixApplication(FixGateways gateways, OrderRouter router) {
    this.gateways = gateways;
    this.router = router;
  }

  @Override
  public void onCreate(SessionID id) {}

  @Override
  public void onLogon(SessionID id) {
    gateways.of(id).onLogon();
  }

  @Override
  public void onLogout(SessionID id) {
    gateways.of(id).onLogout();
  }

  /** `generateLogout()` takes no text. */
  @Override
  public void toAdmin(Message message, SessionID id) {
    String text = gateways.of(id).farewell();
    if (!isA(MsgType.LOGOUT, message) || message.isSetField(Text.FIELD) || text == null) return;
    message.setString(Text.FIELD, text);
  }

  /** A Logout of the peer that crosses the engine's enables an acceptor's session again: what counts is what the API says. */
  @Override
  public void fromAdmin(Message message, SessionID id) throws RejectLogon {
    if (isA(MsgType.LOGON, message) && gateways.of(id).isDisabled()) throw new RejectLogon(FixSession.DISABLED);
  }

  @Override
  public void toApp(Message message, SessionID id) {}

  @Override
  public void fromApp(Message message, SessionID id) throws FieldNotFound, UnsupportedMessageType {
    String type = message.getHeader().getString(MsgType.FIELD);
    if (gateways.of(id) == gateways.venue()) {
      fromVenue(type, message);
      return;
    }
    switch (type) {
      case MsgType.ORDER_SINGLE -> router.newOrder(message, gateways.of(id));
      case MsgType.ORDER_CANCEL_REQUEST -> router.cancel(message, id);
      default -> throw new UnsupportedMessageType();
    }
  }

  private void fromVenue(String type, Message message) throws FieldNotFound, UnsupportedMessageType {
    switch (type) {
      case MsgType.EXECUTION_REPORT -> router.report(message);
      case MsgType.ORDER_CANCEL_REJECT -> router.cancelReject(message);
      default -> throw new UnsupportedMessageType();
    }
  }

  private static boolean isA(String type, Message message) {
    return message.getHeader().getOptionalString(MsgType.FIELD).filter(type::equals).isPresent();
  }
}
