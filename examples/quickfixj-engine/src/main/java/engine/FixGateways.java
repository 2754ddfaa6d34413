package engine;

import bus.Input;
import bus.Refusal;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.ToLongFunction;
import quickfix.ConfigError;
import quickfix.FieldConvertError;
import quickfix.SessionID;
import quickfix.SessionSettings;

/** The sessions of the FIX settings, by gateway. */
final class FixGateways {
  private record Gateway(String name, String type, List<FixSession> sessions) {}

  record Summary(String gatewayName, String gatewayType, Long updateTimestamp) {}

  /** QuickFIX/J tells nobody of connections that end without a logon, so connections are not counted. */
  record Detail(
      String gatewayName, String gatewayType, Long updateTimestamp, int sessions, Long acceptedConnections,
      Long rejectedConnections, long messagesSent, long messagesReceived, long bytesSent, long bytesReceived) {}

  private final Map<String, Gateway> gateways = new LinkedHashMap<>();
  private final Map<SessionID, FixSession> sessions = new LinkedHashMap<>();

  FixGateways(SessionSettings settings, ScheduledExecutorService timer) throws ConfigError, FieldConvertError {
    for (Iterator<SessionID> each = settings.sectionIterator(); each.hasNext(); ) {
      SessionID id = each.next();
      String name = settings.getString(id, "Gateway");
      String type = settings.getString(id, "GatewayType");
      boolean accepts = settings.getString(id, "ConnectionType").equals("acceptor");
      InetSocketAddress address = accepts
          ? new InetSocketAddress(settings.getString(id, "SocketAcceptAddress"), settings.getInt(id, "SocketAcceptPort"))
          : null;
      FixSession session = new FixSession(id, name, type, address, timer);
      sessions.put(id, session);
      gateways.computeIfAbsent(name, key -> new Gateway(name, type, new ArrayList<>())).sessions.add(session);
    }
  }

  FixSession of(SessionID id) {
    return sessions.get(id);
  }

  /** The session to the venue. */
  FixSession venue() {
    return gateways.values().stream()
        .filter(gateway -> gateway.type.equals("TradeConnector"))
        .findFirst().orElseThrow(() -> new IllegalArgumentException("no session has GatewayType=TradeConnector"))
        .sessions.get(0);
  }

  List<String> types() {
    return gateways.values().stream().map(Gateway::type).distinct().toList();
  }

  List<Summary> list() {
    return gateways.values().stream()
        .map(gateway -> new Summary(gateway.name, gateway.type, updated(gateway)))
        .toList();
  }

  Detail get(String name) {
    Gateway gateway = find(name);
    return new Detail(
        name, gateway.type, updated(gateway), gateway.sessions.size(), null, null,
        sum(gateway, session -> session.messagesSent.get()), sum(gateway, session -> session.messagesReceived.get()),
        sum(gateway, session -> session.bytesSent.get()), sum(gateway, session -> session.bytesReceived.get()));
  }

  private static long sum(Gateway gateway, ToLongFunction<FixSession> count) {
    return gateway.sessions.stream().mapToLong(count).sum();
  }

  private static Long updated(Gateway gateway) {
    return gateway.sessions.stream().map(FixSession::updated).filter(Objects::nonNull).max(Long::compare).orElse(null);
  }

  List<FixSession.Summary> sessions(String gateway) {
    return find(gateway).sessions.stream().map(FixSession::summary).toList();
  }

  /** The session that an input names. */
  FixSession session(Input input) {
    Gateway gateway = find(input.text("gateway"));
    String name = input.text("session");
    return gateway.sessions.stream()
        .filter(session -> session.name().equals(name))
        .findFirst()
        .orElseThrow(() -> Refusal.notFound("Unknown FIX session \"" + name + "\" of gateway \"" + gateway.name + "\""));
  }

  private Gateway find(String name) {
    Gateway gateway = gateways.get(name);
    if (gateway == null) throw Refusal.notFound("Unknown FIX gateway \"" + name + "\"");
    return gateway;
  }
}
