package engine;

import bus.EngineClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every path has its own state: halting or resuming one leaves all others as they are. */
final class KillSwitch {
  record Status(String projectionPath, boolean halted, String reason) {}

  record Halt(String projectionPath, String reason, Long since) {}

  private record Event(boolean halted, String path, String reason, long time) {}

  private final Map<ProjectionPath, Event> latest = new LinkedHashMap<>();

  synchronized Status status(String path) {
    Event event = latest.get(ProjectionPath.read(path));
    return event == null ? new Status(path, false, null) : new Status(path, event.halted, event.reason);
  }

  synchronized List<Halt> halts() {
    return latest.values().stream()
        .filter(Event::halted)
        .map(event -> new Halt(event.path, event.reason, event.time))
        .toList();
  }

  synchronized void halt(String path, String reason) {
    note(new Event(true, path, reason, EngineClock.now()));
  }

  synchronized void resume(String path, String reason) {
    note(new Event(false, path, reason, EngineClock.now()));
  }

  private void note(Event event) {
    latest.put(ProjectionPath.read(event.path), event);
  }

  /** Why an order with these values is refused; null if it is not. */
  synchronized String refusal(Map<String, String> values) {
    for (Map.Entry<ProjectionPath, Event> entry : latest.entrySet()) {
      Event event = entry.getValue();
      if (!event.halted || !entry.getKey().holds(values)) continue;
      String where = entry.getKey().isRoot() ? "" : " at " + event.path;
      return "Trading halted" + where + ": " + event.reason;
    }
    return null;
  }
}
