package bus;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Commands on the same target are carried out one after the other, as they were received, and a read waits for the commands
 * before it on what it reads. Nothing else waits: not a halt for the logout of a FIX session. One thread only.
 */
final class Turns {
  private record Key(String subject, Set<String> target) {}

  /** The latest command on each subject and target, while it waits or runs. */
  private final Map<Key, CompletableFuture<Void>> latest = new HashMap<>();

  /** Carries work out when it is its turn; immediately, if nothing is before it. */
  CompletableFuture<Object> take(Request request, Supplier<CompletableFuture<Object>> work) {
    Key key = new Key(request.operation().subject(), request.target());
    if (request.is(Operation.Lane.READ)) return readBy(key).thenCompose(nothing -> work.get());
    CompletableFuture<Void> before = latest.getOrDefault(key, CompletableFuture.completedFuture(null));
    CompletableFuture<Void> mine = new CompletableFuture<>();
    latest.put(key, mine);
    return before.thenCompose(nothing -> work.get()).whenComplete((result, failure) -> {
      latest.remove(key, mine);
      mine.complete(null);
    });
  }

  private CompletableFuture<Void> readBy(Key read) {
    return CompletableFuture.allOf(latest.entrySet().stream()
        .filter(entry -> entry.getKey().subject.equals(read.subject) && entry.getKey().target.containsAll(read.target))
        .map(Map.Entry::getValue).toArray(CompletableFuture[]::new));
  }
}
