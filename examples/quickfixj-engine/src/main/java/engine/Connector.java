package engine;

import bus.Refusal;
import java.util.List;
import quickfix.SessionID;

/** The service that orders go through: a FIX session to a venue. A disabled one takes no orders. */
final class Connector {
  record Service(String name, String type, boolean system, boolean dma, boolean enabled, String status) {}

  private final FixSession session;
  private volatile boolean enabled = true;

  Connector(FixSession session) {
    this.session = session;
  }

  SessionID session() {
    return session.id;
  }

  List<Service> list() {
    String status = session.isConnected() ? "Connected" : "Disconnected";
    return List.of(new Service(session.name(), "Connector", false, true, enabled, status));
  }

  Service get(String name) {
    check(name);
    return list().get(0);
  }

  void enable(String name, boolean on) {
    check(name);
    enabled = on;
  }

  private void check(String name) {
    if (!name.equals(session.name())) throw Refusal.notFound("Unknown service \"" + name + "\"");
  }

  /** Why it takes no orders; null if it does. */
  String refusal() {
    if (!enabled) return session.name() + " is disabled";
    return session.isConnected() ? null : session.name() + " is not connected";
  }
}
