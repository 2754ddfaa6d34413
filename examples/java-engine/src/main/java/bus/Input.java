package bus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The fields of a request. What is not as the contract says is refused, before anything is changed. */
public final class Input {
  private static final int MAX_DECIMAL = 64;
  private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]+(\\.[0-9]+)?");

  private final ObjectNode fields;

  Input(ObjectNode fields, Set<String> known) {
    this.fields = fields;
    if (known.contains(Operation.OPEN)) return;
    fields.fieldNames().forEachRemaining(name -> {
      if (!known.contains(name)) throw Refusal.invalid("input." + name, "is unknown");
    });
  }

  public String text(String name) {
    JsonNode value = fields.path(name);
    if (!value.isTextual()) throw Refusal.invalid("input." + name, "must be text");
    return value.textValue();
  }

  /** A text that may be absent: null then. */
  public String optionalText(String name) {
    return fields.has(name) ? text(name) : null;
  }

  public boolean flag(String name) {
    JsonNode value = fields.path(name);
    if (!value.isBoolean()) throw Refusal.invalid("input." + name, "must be true or false");
    return value.booleanValue();
  }

  public JsonNode list(String name) {
    JsonNode value = fields.path(name);
    if (!value.isArray()) throw Refusal.invalid("input." + name, "must be a list");
    return value;
  }

  /** All fields but one, which are text. */
  public Map<String, String> textsBut(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    fields.fieldNames().forEachRemaining(field -> {
      if (!field.equals(name)) texts.put(field, text(field));
    });
    return texts;
  }

  /** The number that a text is. Every digit counts, so it is never a double. */
  public static BigDecimal decimal(String name, String text) {
    if (text.length() > MAX_DECIMAL || !DECIMAL.matcher(text).matches()) {
      throw Refusal.invalid("input." + name, "must be a decimal");
    }
    return new BigDecimal(text);
  }
}
