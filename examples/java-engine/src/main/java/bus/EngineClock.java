package bus;

import java.util.UUID;

/** The engine's time: epoch milliseconds that nobody can set while it runs. */
public final class EngineClock {
  /** Another one with each start, as the clock may show another time then. */
  static final String NAME = UUID.randomUUID().toString();

  private static final double ORIGIN = System.currentTimeMillis() - System.nanoTime() / 1e6;

  private EngineClock() {}

  public static long now() {
    return (long) at(System.nanoTime());
  }

  /** The time at a reading of System.nanoTime(). */
  static double at(long nanoTime) {
    return ORIGIN + nanoTime / 1e6;
  }
}
