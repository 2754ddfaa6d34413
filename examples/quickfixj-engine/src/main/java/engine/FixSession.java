package engine;

import bus.EngineClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import quickfix.Log;
import quickfix.Session;
import quickfix.SessionID;

/** A FIX session as the API shows and controls it. QuickFIX/J calls from its own threads. */
final class FixSession implements Log {
  static final String DISABLED = "Session is disabled";
  private static final long LOGOUT_MILLISECONDS = 2000;

  /** Addresses are null where QuickFIX/J does not know them. */
  private record Connection(String localIp, Integer localPort, String remoteIp, Integer remotePort) {
    static final Connection NONE = new Connection(null, null, null, null);
  }

  record Summary(
      String gatewayName, String sessionId, String status, Integer localPort, String remoteIp, Integer remotePort,
      int inboundSequence, int outboundSequence) {}

  record Detail(
      String gatewayName, String sessionId, String status, Integer localPort, String remoteIp, Integer remotePort,
      int inboundSequence, int outboundSequence, String gatewayType, String senderId, String targetId, String localIp,
      Long connectTimestamp, Long disconnectTimestamp, long messagesSent, long messagesReceived, long bytesSent,
      long bytesReceived) {}

  final SessionID id;
  private final String gateway;
  private final String type;
  /** Where it accepts connections; null for one that makes them. */
  private final InetSocketAddress accepts;
  private final ScheduledExecutorService timer;

  private Connection connection = Connection.NONE;
  private boolean disabled;
  private String farewell;
  private Long connected;
  private Long disconnected;
  private CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);
  final AtomicLong messagesSent = new AtomicLong();
  final AtomicLong messagesReceived = new AtomicLong();
  final AtomicLong bytesSent = new AtomicLong();
  final AtomicLong bytesReceived = new AtomicLong();

  FixSession(SessionID id, String gateway, String type, InetSocketAddress accepts, ScheduledExecutorService timer) {
    this.id = id;
    this.gateway = gateway;
    this.type = type;
    this.accepts = accepts;
    this.timer = timer;
  }

  /** The peer's CompID. */
  String name() {
    return id.getTargetCompID();
  }

  synchronized boolean isConnected() {
    return !ended.isDone();
  }

  synchronized boolean isDisabled() {
    return disabled;
  }

  /** Lets nobody log on any more; then ends the connection, if there is one. */
  CompletionStage<Detail> disable() {
    synchronized (this) {
      disabled = true;
    }
    CompletionStage<Detail> end = end(DISABLED);
    // Only now: a session that is not enabled sends a Logout by itself, unless one was sent.
    session().logout();
    return end;
  }

  Detail enable() {
    synchronized (this) {
      if (disabled) session().logon();
      disabled = false;
    }
    return detail();
  }

  /** Ends the connection; the peer may come back. Not `logout()`, which disables the session. */
  CompletionStage<Detail> disconnect() {
    return end("Session is disconnected");
  }

  /** A Logout, a bounded time for the peer's, and the end of the connection. */
  private CompletionStage<Detail> end(String text) {
    CompletableFuture<Void> end;
    synchronized (this) {
      end = ended;
      farewell = text;
    }
    if (!end.isDone()) {
      session().generateLogout();
      timer.schedule(() -> drop(end), LOGOUT_MILLISECONDS, TimeUnit.MILLISECONDS);
    }
    return end.thenApply(nothing -> detail());
  }

  private void drop(CompletableFuture<Void> end) {
    if (end.isDone()) return;
    try {
      session().disconnect("The peer did not reply to the Logout", true);
    } catch (IOException failure) {
      end.completeExceptionally(failure);
    }
  }

  private Session session() {
    return Session.lookupSession(id);
  }

  /** What a Logout that the engine begins says. */
  synchronized String farewell() {
    return farewell;
  }

  synchronized void onLogon() {
    InetSocketAddress remote = remote();
    connection = new Connection(
        accepts == null ? null : accepts.getAddress().getHostAddress(), accepts == null ? null : accepts.getPort(),
        remote == null ? null : remote.getHostString(), remote == null ? null : remote.getPort());
    connected = EngineClock.now();
    farewell = null;
    ended = new CompletableFuture<>();
  }

  /** The address that QuickFIX/J has only as text: `/127.0.0.1:40312`. */
  private InetSocketAddress remote() {
    String text = session().getRemoteAddress();
    int colon = text == null ? -1 : text.lastIndexOf(':');
    if (colon < 0) return null;
    String host = text.substring(text.indexOf('/') + 1, colon);
    return InetSocketAddress.createUnresolved(host, Integer.parseInt(text.substring(colon + 1)));
  }

  /** A refused logon ends here too, but it never counted as a connection, and changes no time. */
  void onLogout() {
    CompletableFuture<Void> end;
    synchronized (this) {
      if (ended.isDone()) return;
      connection = Connection.NONE;
      disconnected = EngineClock.now();
      end = ended;
      ended = CompletableFuture.completedFuture(null);
    }
    end.complete(null);
  }

  synchronized Long updated() {
    if (connected == null) return null;
    return disconnected == null ? connected : Long.valueOf(Math.max(connected, disconnected));
  }

  synchronized Summary summary() {
    return new Summary(
        gateway, name(), status(), connection.localPort, connection.remoteIp, connection.remotePort,
        session().getExpectedTargetNum(), session().getExpectedSenderNum());
  }

  synchronized Detail detail() {
    return new Detail(
        gateway, name(), status(), connection.localPort, connection.remoteIp, connection.remotePort,
        session().getExpectedTargetNum(), session().getExpectedSenderNum(), type, id.getSenderCompID(), id.getTargetCompID(),
        connection.localIp, connected, disconnected, messagesSent.get(), messagesReceived.get(), bytesSent.get(),
        bytesReceived.get());
  }

  private String status() {
    return disabled ? "Disabled" : isConnected() ? "Connected" : "Disconnected";
  }

  // QuickFIX/J counts nothing, but tells its log of each message.

  @Override
  public void onIncoming(String message) {
    messagesReceived.incrementAndGet();
    bytesReceived.addAndGet(message.length());
  }

  @Override
  public void onOutgoing(String message) {
    messagesSent.incrementAndGet();
    bytesSent.addAndGet(message.length());
  }

  @Override
  public void onEvent(String text) {}

  @Override
  public void onErrorEvent(String text) {
    System.err.println(id + ": " + text);
  }

  @Override
  public void clear() {}
}
