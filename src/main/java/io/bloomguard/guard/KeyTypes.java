package io.bloomguard.guard;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The types of the keys that methods and web rules ask each filter for, beside those that its
 * source yields.
 *
 * <p>If callers ask a filter for numbers or UUIDs alone, and almost none of the first keys of its
 * source is one, the source reads another column: the filter would reject every row.
 */
public final class KeyTypes {

  /** One in so many first keys, at least, must be of a type that callers ask for. */
  private static final int ONE_IN = 10;

  private static final Set<Class<?>> NUMBERS =
      Set.of(byte.class, short.class, int.class, long.class, BigDecimal.class);

  private final Map<String, Filter> filters = new ConcurrentHashMap<>();

  /** The types of filters that no caller has asked yet. */
  public KeyTypes() {}

  /**
   * Notes a caller of a filter and the type of its keys.
   *
   * @param filter the filter's name
   * @param type the declared type of the key
   * @param caller the method or web rule, for messages
   * @return the reason why no key of the last build could be of that type, with both types; null
   *     for none
   */
  public @Nullable String asked(String filter, Class<?> type, String caller) {
    Filter known = filters.computeIfAbsent(filter, name -> new Filter());
    known.callers.putIfAbsent(
        kind(type), caller + " asks filter '" + filter + "' with a " + type.getSimpleName());
    return known.mismatch(known.last);
  }

  /**
   * {@return whether a caller of the filter has been noted}
   *
   * @param filter the filter's name
   */
  public boolean isAsked(String filter) {
    Filter known = filters.get(filter);
    return known != null && !known.callers.isEmpty();
  }

  /**
   * Notes that code asks a filter, possibly for keys of any type.
   *
   * @param filter the filter's name
   */
  public void askedByCode(String filter) {
    filters.computeIfAbsent(filter, name -> new Filter()).callers.putIfAbsent(Kind.ANY, "code");
  }

  /**
   * Notes the first canonical keys of a build.
   *
   * @param filter the filter's name
   * @param numbers the number of keys that the source yielded as numbers
   * @param texts other keys, of which {@code texts[0..count)} count
   * @param count the number of texts that count
   * @return the reason why no caller could mean these keys, with both types; null for none
   */
  public @Nullable String yielded(String filter, int numbers, String[] texts, int count) {
    int numeric = numbers;
    int uuids = 0;
    for (int i = 0; i < count; i++) {
      if (isNumber(texts[i])) {
        numeric++;
      } else if (isUuid(texts[i])) {
        uuids++;
      }
    }
    Filter known = filters.computeIfAbsent(filter, name -> new Filter());
    known.last = new Sample(numbers + count, numeric, uuids);
    return known.mismatch(known.last);
  }

  private static Kind kind(Class<?> type) {
    if (NUMBERS.contains(type) || (Number.class.isAssignableFrom(type) && type != Number.class)) {
      return Kind.NUMBER;
    }
    return type == UUID.class ? Kind.UUID : Kind.ANY;
  }

  /** Whether a key is the decimal form of some number. */
  private static boolean isNumber(String key) {
    int start = key.startsWith("-") ? 1 : 0;
    int digits = key.length() - start;
    if (digits == 0 || (key.charAt(start) == '0' && key.length() > 1)) {
      return false;
    }
    for (int i = start; i < key.length(); i++) {
      if (key.charAt(i) < '0' || key.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  /** Whether a key is the text of some UUID, which is lower-case. */
  private static boolean isUuid(String key) {
    if (key.length() != 36) {
      return false;
    }
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      boolean hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      if (dash ? c != '-' : !hex) {
        return false;
      }
    }
    return true;
  }

  private enum Kind {
    NUMBER,
    UUID,
    ANY
  }

  /** The first keys of a build. */
  private record Sample(int keys, int numbers, int uuids) {

    String type() {
      if (numbers * 2 > keys) {
        return "numbers";
      }
      return uuids * 2 > keys ? "UUIDs" : "text";
    }
  }

  private static final class Filter {

    private final Map<Kind, String> callers = new ConcurrentHashMap<>();
    private volatile @Nullable Sample last;

    @Nullable String mismatch(@Nullable Sample sample) {
      if (sample == null || callers.isEmpty() || callers.containsKey(Kind.ANY)) {
        return null;
      }
      int fitting =
          (callers.containsKey(Kind.NUMBER) ? sample.numbers : 0)
              + (callers.containsKey(Kind.UUID) ? sample.uuids : 0);
      if (fitting * (long) ONE_IN >= sample.keys) {
        return null;
      }
      return "The source yields "
          + sample.type()
          + ", but "
          + String.join(", ", callers.values())
          + ": "
          + fitting
          + " of its first "
          + sample.keys
          + " keys can be meant";
    }
  }
}
