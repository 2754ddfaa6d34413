package engine;

/** The command line. @param token that gateways have to send; null: none */
record Options(String host, int port, String token, String fix) {
  private static final String USAGE = "usage: engine.Engine [--listen HOST:PORT] [--token-env NAME] [--fix FILE]";

  static Options read(String[] arguments) {
    String listen = "127.0.0.1:8989";
    String token = null;
    String fix = "fix.cfg";
    for (int index = 0; index < arguments.length; index += 2) {
      if (index + 1 == arguments.length) throw new IllegalArgumentException(USAGE);
      String value = arguments[index + 1];
      switch (arguments[index]) {
        case "--listen" -> listen = value;
        case "--token-env" -> token = environment(value);
        case "--fix" -> fix = value;
        default -> throw new IllegalArgumentException(USAGE);
      }
    }
    int colon = listen.lastIndexOf(':');
    if (colon < 1 || !listen.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("--listen must be HOST:PORT, is " + listen);
    }
    return new Options(listen.substring(0, colon), Integer.parseInt(listen.substring(colon + 1)), token, fix);
  }

  private static String environment(String name) {
    String value = System.getenv(name);
    if (value != null && !value.isEmpty()) return value;
    throw new IllegalArgumentException("--token-env: the variable " + name + " is not set or empty");
  }
}
