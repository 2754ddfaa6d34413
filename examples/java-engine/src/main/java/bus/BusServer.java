package bus;

import static io.undertow.util.Headers.AUTHORIZATION;
import static io.undertow.util.Headers.ORIGIN;
import static io.undertow.util.Headers.UPGRADE;

import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HttpString;
import io.undertow.util.StatusCodes;
import io.undertow.websockets.WebSocketConnectionCallback;
import io.undertow.websockets.WebSocketProtocolHandshakeHandler;
import io.undertow.websockets.core.AbstractReceiveListener;
import io.undertow.websockets.core.BufferedBinaryMessage;
import io.undertow.websockets.core.BufferedTextMessage;
import io.undertow.websockets.core.CloseMessage;
import io.undertow.websockets.core.WebSocketCallback;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.WebSockets;
import io.undertow.websockets.core.protocol.version13.Hybi13Handshake;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** A WebSocket server for gateways: its reader stamps each request, one thread carries them out in the order in which they came. */
public final class BusServer {
  private static final String SUBPROTOCOL = "trading-admin.v1";
  /** A body of 1 MiB, which is what a gateway takes, in its envelope. */
  private static final int MAX_MESSAGE_BYTES = 1024 * 1024 + 64 * 1024;
  /** Requests of a connection whose replies its gateway has not taken; with more, it is not read. */
  private static final int MAX_OPEN = 1000;

  private final byte[] authorization;
  private final Executor thread;
  private final Dispatcher dispatcher;
  private final WebSocketProtocolHandshakeHandler handshake;
  private final Undertow server;

  /** @param thread the one that carries requests out */
  public BusServer(Options options, Map<String, Dispatcher.Handler> handlers, Executor thread) {
    String token = options.token();
    this.authorization = token == null ? null : ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    this.thread = thread;
    this.dispatcher = new Dispatcher(handlers, thread);
    this.handshake = new WebSocketProtocolHandshakeHandler(
        Set.of(new Hybi13Handshake(Set.of(SUBPROTOCOL), false)),
        (WebSocketConnectionCallback) (exchange, channel) -> open(channel));
    this.server = Undertow.builder().setIoThreads(1).setWorkerThreads(1)
        .addHttpListener(options.port(), options.host()).setHandler(admission()).build();
  }

  /** Starts to listen; returns the address. */
  public String start() {
    server.start();
    InetSocketAddress address = (InetSocketAddress) server.getListenerInfo().get(0).getAddress();
    String host = address.getAddress().getHostAddress();
    return "ws://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /** Tells gateways that the engine ends. */
  public void stop() {
    for (WebSocketChannel channel : List.copyOf(handshake.getPeerConnections())) {
      WebSockets.sendClose(CloseMessage.GOING_AWAY, "The engine ends", channel, null);
    }
    server.stop();
  }

  private HttpHandler admission() {
    return exchange -> {
      int refusal = refusal(exchange);
      if (refusal == StatusCodes.OK) {
        exchange.getResponseHeaders().put(new HttpString("Trading-Admin-Engine-Id"), EngineClock.NAME);
        handshake.handleRequest(exchange);
        return;
      }
      if (refusal == StatusCodes.UPGRADE_REQUIRED) exchange.getResponseHeaders().put(UPGRADE, "websocket");
      exchange.setStatusCode(refusal).endExchange();
    };
  }

  /** The status with which an upgrade is refused. Browsers send Origin and have no business here. */
  private int refusal(HttpServerExchange exchange) {
    if (!"websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst(UPGRADE))) return StatusCodes.UPGRADE_REQUIRED;
    if (exchange.getRequestHeaders().contains(ORIGIN)) return StatusCodes.FORBIDDEN;
    String given = exchange.getRequestHeaders().getFirst(AUTHORIZATION);
    byte[] bytes = given == null ? new byte[0] : given.getBytes(StandardCharsets.UTF_8);
    if (authorization != null && !MessageDigest.isEqual(bytes, authorization)) return StatusCodes.UNAUTHORIZED;
    String offered = String.join(",", exchange.getRequestHeaders().eachValue(new HttpString("Sec-WebSocket-Protocol")));
    boolean speaksIt = List.of(offered.split("\\s*,\\s*")).contains(SUBPROTOCOL);
    return speaksIt ? StatusCodes.OK : StatusCodes.BAD_REQUEST;
  }

  private void open(WebSocketChannel channel) {
    channel.getReceiveSetter().set(new Conversation());
    channel.resumeReceives();
  }

  private final class Conversation extends AbstractReceiveListener {
    private final AtomicInteger open = new AtomicInteger();

    @Override
    protected long getMaxTextBufferSize() {
      return MAX_MESSAGE_BYTES;
    }

    @Override
    protected long getMaxBinaryBufferSize() {
      return MAX_MESSAGE_BYTES;
    }

    @Override
    protected void onFullTextMessage(WebSocketChannel channel, BufferedTextMessage message) {
      long received = System.nanoTime();
      String text = message.getData();
      if (open.incrementAndGet() >= MAX_OPEN) channel.suspendReceives();
      thread.execute(() -> dispatcher.answer(text, received).thenAccept(reply -> send(channel, reply)));
    }

    @Override
    protected void onFullBinaryMessage(WebSocketChannel channel, BufferedBinaryMessage message) {
      message.getData().free();
      WebSockets.sendText(Dispatcher.notText(), channel, null);
    }

    private void send(WebSocketChannel channel, String reply) {
      WebSockets.sendText(reply, channel, new WebSocketCallback<>() {
        @Override
        public void complete(WebSocketChannel to, Void nothing) {
          if (open.decrementAndGet() == MAX_OPEN - 1) to.resumeReceives();
        }

        @Override
        public void onError(WebSocketChannel to, Void nothing, Throwable failure) {
          // The gateway went away and will dial again; what it had asked was done, and its replies are lost.
        }
      });
    }
  }
}
