package bus;

import static bus.Refusal.INVALID_REQUEST;
import static bus.Refusal.METHOD_NOT_FOUND;
import static bus.Refusal.OVERLOADED;
import static bus.Refusal.PARSE_ERROR;
import static bus.Refusal.UNAVAILABLE;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Answers messages by calling the operation that they name. A method that the table does not have is refused: callers are told
 * that the engine does not support it, and that nothing was changed. Used by one thread, in the order in which messages come.
 */
public final class Dispatcher {
  /** Carries an operation out. A {@link CompletionStage} is awaited; nothing waits for it but commands on the same target. */
  @FunctionalInterface
  public interface Handler {
    Object handle(Input input);

    /** A command without a result: the reply says that it was accepted. */
    static Handler ofCommand(Consumer<Input> command) {
      return input -> {
        command.accept(input);
        return null;
      };
    }
  }

  /** Stops are never too many. */
  private static final int MAX_IN_PROGRESS = 1000;

  /** Decimals are text, without an exponent. */
  private static final ToStringSerializerBase DECIMAL = new ToStringSerializerBase(BigDecimal.class) {
    @Override
    public String valueToString(Object value) {
      return ((BigDecimal) value).toPlainString();
    }
  };

  static final JsonMapper JSON = JsonMapper.builder()
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .addModule(new SimpleModule().addSerializer(BigDecimal.class, DECIMAL))
      .build();

  private final Map<String, Handler> handlers;
  private final Executor thread;
  private final ArrivalOrder order = new ArrivalOrder();
  private final Turns turns = new Turns();
  private int inProgress;

  /** @param thread the one that calls answer */
  Dispatcher(Map<String, Handler> handlers, Executor thread) {
    for (String name : handlers.keySet()) {
      if (!Operation.ALL.containsKey(name)) throw new IllegalArgumentException(name + " is not an operation of the contract");
    }
    this.handlers = handlers;
    this.thread = thread;
  }

  /** The reply to a message that was read then (System.nanoTime()). Never fails: a failure is an answer too. */
  CompletionStage<String> answer(String message, long received) {
    ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0").putNull("id");
    inProgress++;
    return begin(message, received, reply).handle((result, failure) -> {
      inProgress--;
      if (failure == null) reply.set("result", JSON.valueToTree(result));
      else reply.set("error", error(failure));
      return reply.toString();
    });
  }

  private CompletableFuture<Object> begin(String message, long received, ObjectNode reply) {
    try {
      JsonNode envelope = parse(message);
      JsonNode id = envelope.path("id");
      if (id.isTextual() || id.isIntegralNumber()) reply.set("id", id);
      JsonNode params = envelope.path("params");
      if (params.path("context").has("timeLeft")) reply.put("now", EngineClock.now()).put("clock", EngineClock.NAME);
      return run(byOwnClock(Request.read(operation(envelope, reply), params, received)));
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private static JsonNode parse(String message) {
    try {
      return JSON.readTree(message);
    } catch (JsonProcessingException | StackOverflowError failure) {
      throw new Refusal(PARSE_ERROR, "The message is not JSON");
    }
  }

  private Operation operation(JsonNode envelope, ObjectNode reply) {
    JsonNode method = envelope.path("method");
    if (!"2.0".equals(envelope.path("jsonrpc").textValue()) || !method.isTextual() || reply.get("id").isNull()) {
      throw new Refusal(INVALID_REQUEST, "The message is not a JSON-RPC 2.0 request");
    }
    if (!handlers.containsKey(method.textValue())) {
      throw new Refusal(METHOD_NOT_FOUND, "The engine has no method \"" + method.textValue() + "\"");
    }
    return Operation.ALL.get(method.textValue());
  }

  private static Request byOwnClock(Request request) {
    String clock = request.context().clock();
    if (clock == null || clock.equals(EngineClock.NAME)) return request;
    if (request.is(Operation.Lane.CHANGE)) {
      throw new Refusal(UNAVAILABLE, "The engine has started again since this change was sent to it; nothing was changed");
    }
    return new Request(
        request.operation(), request.input(), request.target(), request.context().byReceipt(), request.received());
  }

  private CompletableFuture<Object> run(Request request) {
    if (inProgress > MAX_IN_PROGRESS && !request.is(Operation.Lane.STOP)) {
      throw new Refusal(OVERLOADED, "The engine has too much to do");
    }
    check(request);
    order.received(request);
    return turns.take(request, () -> {
      // The wait counts: the deadline may have passed, and a stop may have come first.
      check(request);
      return call(request).thenApply(result -> {
        order.carriedOut(request);
        return result;
      });
    });
  }

  private void check(Request request) {
    if (request.isLate()) throw Refusal.rejected("Dropped: the deadline had passed before the engine began");
    order.check(request);
  }

  private CompletableFuture<Object> call(Request request) {
    Object result = handlers.get(request.operation().name()).handle(request.input());
    if (!(result instanceof CompletionStage<?> later)) return CompletableFuture.completedFuture(result);
    // Whoever completes it, what follows is done on the thread of the dispatcher.
    return later.toCompletableFuture().thenApplyAsync(value -> (Object) value, thread);
  }

  private static ObjectNode error(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof Refusal refusal) {
      return JSON.createObjectNode().put("code", refusal.code).put("message", refusal.getMessage());
    }
    // Nobody knows how far the operation came, and -32603 says so; the details stay in this engine's log.
    cause.printStackTrace();
    return JSON.createObjectNode().put("code", -32603).put("message", "The engine failed: " + cause.getClass().getSimpleName());
  }

  /** Why a message that is not a text frame is refused. */
  static String notText() {
    ObjectNode error = error(new Refusal(INVALID_REQUEST, "Messages are text frames"));
    return JSON.createObjectNode().put("jsonrpc", "2.0").putNull("id").<ObjectNode>set("error", error).toString();
  }
}
