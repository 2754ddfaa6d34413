package engine;

import bus.Refusal;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** The position of a node, from fills and adjustments. Sizes below zero are short; null stands for a value that is not known. */
final class Position {
  /** Digits behind the point of an average cost, which alone is rounded. */
  private static final int SCALE = 12;
  private static final int MAX_LENGTH = 64;

  final String account;
  final String symbol;
  private BigDecimal size = BigDecimal.ZERO;
  private BigDecimal averageCost = BigDecimal.ZERO;
  private BigDecimal realized = BigDecimal.ZERO;
  private BigDecimal openBuy = BigDecimal.ZERO;
  private BigDecimal openSell = BigDecimal.ZERO;

  /** As the contract has it. There are no prices here and no commissions, so some of it is not known. */
  record View(
      String projection, String account, String symbol, BigDecimal size, BigDecimal averageCost, BigDecimal realizedPnL,
      BigDecimal unrealizedPnL, BigDecimal marketValue, BigDecimal totalCommission, BigDecimal openBuySize,
      BigDecimal openSellSize) {}

  Position(String account, String symbol) {
    this.account = account;
    this.symbol = symbol;
  }

  View view() {
    return new View(
        "Account[" + account + "]/Symbol[" + symbol + "]", account, symbol, plain(size),
        size.signum() == 0 ? null : plain(averageCost), plain(realized), null, null, null, plain(openBuy), plain(openSell));
  }

  /** Size of working orders that came or went. */
  void addOpen(boolean isBuy, BigDecimal change) {
    if (isBuy) openBuy = openBuy.add(change);
    else openSell = openSell.add(change);
  }

  /** Average cost method. @param change bought, or below zero sold */
  void fill(BigDecimal change, BigDecimal price) {
    boolean adds = size.signum() * change.signum() >= 0;
    BigDecimal after = size.add(change);
    if (adds) {
      averageCost = size.signum() == 0 ? price : average(change, price, after);
    } else {
      BigDecimal closed = size.abs().min(change.abs()).multiply(BigDecimal.valueOf(size.signum()));
      realized = realized == null || averageCost == null ? null : realized.add(price.subtract(averageCost).multiply(closed));
      if (after.signum() == -size.signum()) averageCost = price;
    }
    size = after;
  }

  private BigDecimal average(BigDecimal change, BigDecimal price, BigDecimal after) {
    if (averageCost == null) return null;
    BigDecimal cost = size.multiply(averageCost).add(change.multiply(price));
    return cost.divide(after, SCALE, RoundingMode.HALF_EVEN);
  }

  /** Cost and P&L stay as they are where nothing was given; NaN stops tracking. */
  void adjust(BigDecimal change, boolean relative, Tracked cost, Tracked realizedPnL) {
    BigDecimal after = relative ? size.add(change) : change;
    if (plain(after).toPlainString().length() > MAX_LENGTH) {
      throw Refusal.rejected("size: the sum of the current value and the change has more than 64 characters");
    }
    // A size that appears without a cost came from nobody knows where.
    boolean appears = size.signum() == 0 && after.signum() != 0;
    averageCost = cost.isGiven ? cost.value : appears ? null : averageCost;
    if (realizedPnL.isGiven) realized = realizedPnL.value;
    size = after;
  }

  /** A value that a user may have given; null where it is to be tracked no more. */
  record Tracked(boolean isGiven, BigDecimal value) {}

  private static BigDecimal plain(BigDecimal value) {
    return value == null ? null : value.stripTrailingZeros();
  }
}
