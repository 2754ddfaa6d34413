package demo;

import quickfix.LogFactory;
import quickfix.ScreenLogFactory;
import quickfix.SessionID;
import quickfix.SessionSettings;

/** What the peers of the engine have in common. */
final class Settings {
  /** What they log, they print themselves. */
  static final LogFactory QUIET = new ScreenLogFactory(false, false, false);

  private Settings() {}

  static SessionSettings of(String connectionType, String store) {
    SessionSettings settings = new SessionSettings();
    settings.setString("ConnectionType", connectionType);
    settings.setString("FileStorePath", store);
    settings.setString("StartTime", "00:00:00");
    settings.setString("EndTime", "00:00:00");
    settings.setString("NonStopSession", "Y");
    settings.setString("HeartBtInt", "30");
    settings.setString("ReconnectInterval", "1");
    settings.setString("DataDictionary", "FIX44.xml");
    return settings;
  }

  /** Adds the session of a peer to the engine. */
  static SessionID add(SessionSettings settings, String name) {
    SessionID id = new SessionID("FIX.4.4", name, "ENGINE");
    settings.setString(id, "BeginString", "FIX.4.4");
    settings.setString(id, "SenderCompID", name);
    settings.setString(id, "TargetCompID", "ENGINE");
    return id;
  }
}
