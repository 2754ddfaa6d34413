package bus;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The command line of an engine.
 *
 * @param token that gateways have to send; null: none
 * @param others further options of this engine
 */
public record Options(String host, int port, String token, Map<String, String> others) {

  /** @param others further options with their defaults */
  public static Options read(String[] arguments, Map<String, String> others) {
    Map<String, String> given = new LinkedHashMap<>();
    given.put("--listen", "127.0.0.1:8989");
    given.put("--token-env", "");
    given.putAll(others);
    for (int index = 0; index < arguments.length; index += 2) {
      if (index + 1 == arguments.length || !given.containsKey(arguments[index])) {
        throw new IllegalArgumentException("options, each with a value: " + String.join(", ", given.keySet()));
      }
      given.put(arguments[index], arguments[index + 1]);
    }
    String listen = given.remove("--listen");
    String tokenName = given.remove("--token-env");
    int colon = listen.lastIndexOf(':');
    if (colon < 1 || !listen.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("--listen must be HOST:PORT, is " + listen);
    }
    int port = Integer.parseInt(listen.substring(colon + 1));
    return new Options(listen.substring(0, colon), port, tokenName.isEmpty() ? null : environment(tokenName), given);
  }

  private static String environment(String name) {
    String value = System.getenv(name);
    if (value != null && !value.isEmpty()) return value;
    throw new IllegalArgumentException("--token-env: the variable " + name + " is not set or empty");
  }
}
