package bus;

/** The engine does not do what it was asked; nothing was changed. The message is the reason, for the person who asked. */
public final class Refusal extends RuntimeException {
  static final int REJECTED = -32001;
  static final int NOT_FOUND = -32002;
  static final int OVERLOADED = -32003;
  static final int UNAVAILABLE = -32004;
  static final int STOP_CAME_FIRST = -32005;
  static final int PARSE_ERROR = -32700;
  static final int INVALID_REQUEST = -32600;
  static final int METHOD_NOT_FOUND = -32601;
  static final int INVALID_PARAMS = -32602;

  final int code;

  Refusal(int code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  /** The engine could do this, but not with this input or not now. */
  public static Refusal rejected(String reason) {
    return new Refusal(REJECTED, reason);
  }

  /** A service, FIX gateway or FIX session that there is not. */
  public static Refusal notFound(String reason) {
    return new Refusal(NOT_FOUND, reason);
  }

  /** Input that is not what the contract says. */
  public static Refusal invalid(String field, String reason) {
    return new Refusal(INVALID_PARAMS, "params." + field + ": " + reason);
  }
}
