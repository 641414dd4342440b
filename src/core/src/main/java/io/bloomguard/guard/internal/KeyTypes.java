package io.bloomguard.guard.internal;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.CanonicalKey;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The types of the keys that methods and web rules ask each filter for, beside those that its
 * source yields.
 *
 * <p>If callers ask a filter for numbers or UUIDs alone, and almost none of the first keys of its
 * source is one, the source reads another column: the filter would reject every row.
 */
public final class KeyTypes {

  private static final Logger log = LoggerFactory.getLogger(KeyTypes.class);

  /** One in so many first keys, at least, must be of a type that callers ask for. */
  private static final int ONE_IN = 10;

  private static final Set<Class<?>> NUMBERS =
      Set.of(byte.class, short.class, int.class, long.class, BigDecimal.class);

  /** The decimal form of a number; without a sign before zero. */
  private static final Pattern NUMBER = Pattern.compile("0|-?[1-9][0-9]*");

  /** The text of a UUID, which is lower-case. */
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private static final String NAME =
      "Name an attribute whose column is text, an integral number or a UUID";

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
    Kind kind = kind(type);
    known.callers.putIfAbsent(
        kind, caller + " asks filter '" + filter + "' with a " + type.getSimpleName());
    String converted = known.converted.get(kind);
    return converted == null ? known.mismatch(known.last) : converted;
  }

  /**
   * Notes that a caller asks a blacklist for texts. If the keys are numbers or UUIDs, another
   * spelling of one passes, and a warning says so.
   *
   * @param filter the filter's name
   * @param caller the method or web rule, for the warning
   */
  public void spelled(String filter, String caller) {
    Filter known = filters.computeIfAbsent(filter, name -> new Filter());
    known.speller = caller;
    known.warnOfSpelling(filter);
  }

  /**
   * Notes an attribute of an entity whose stored form is a key.
   *
   * @param filter the filter's name
   * @param key the attribute
   * @param folding the keys that the filter holds equal
   * @return the reason why lookups by the attribute's own form would miss rows, and cannot be told
   *     from those by the stored form; null for none
   */
  public @Nullable FilterRefusal keyed(String filter, KeyedAttribute key, KeyFolding folding) {
    String named = "names the attribute " + key.attribute() + ", which is ";
    if (key.isUnknown()) {
      return new FilterRefusal(
          named + "converted to values that cannot be compared with its own", NAME);
    }
    for (Object stored : key.stored().values()) {
      if (!CanonicalKey.supports(stored.getClass())) {
        return new FilterRefusal(
            named + "stored as a " + stored.getClass().getTypeName() + ", which cannot be a key",
            NAME);
      }
    }
    Map.Entry<?, ?> other =
        key.stored().entrySet().stream()
            .filter(form -> !isEqual(form.getKey(), form.getValue(), folding))
            .findFirst()
            .orElse(null);
    if (other == null) {
      return null;
    }
    Class<?> stored = other.getValue().getClass();
    String problem =
        "names " + key.attribute() + ", which its column holds in another form than Java has";
    if (key.part() || kind(stored) == kind(key.type())) {
      return new FilterRefusal(
          problem + ", so the filter would reject lookups of present rows by the attribute",
          ("If the forms differ in letter case, outer spaces or Unicode normalisation"
                  + " alone, set bloomguard.filters.%s.keys.case, .trim or .normalise to that."
                  + " Otherwise convert the value before it is assigned, or take the"
                  + " annotation away, use @BloomPut and @BloomEvict with the column's form,"
                  + " and guard lookups by that form alone")
              .formatted(filter));
    }
    Filter known = filters.computeIfAbsent(filter, name -> new Filter());
    known.converted.put(
        kind(key.type()),
        "The column of %s of %s holds %s for each %s"
            .formatted(
                key.attribute(), key.entity(), kind(stored).noun, key.type().getSimpleName()));
    String caller = known.callers.get(kind(key.type()));
    return caller == null
        ? null
        : new FilterRefusal(
            problem + ", but " + caller,
            "Let the lookup ask for the form that the column holds, such as the number of an enum"
                + " constant: key = \"#kind.ordinal()\"");
  }

  /** Whether a lookup by {@code value} asks for the key that is {@code stored}. */
  private static boolean isEqual(Object value, Object stored, KeyFolding folding) {
    String asked = folding.fold(CanonicalKey.of(value));
    return asked.equals(folding.fold(CanonicalKey.of(stored)));
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
      if (NUMBER.matcher(texts[i]).matches()) {
        numeric++;
      } else if (UUID_TEXT.matcher(texts[i]).matches()) {
        uuids++;
      }
    }
    Filter known = filters.computeIfAbsent(filter, name -> new Filter());
    known.last = new Sample(numbers + count, numeric, uuids);
    known.warnOfSpelling(filter);
    return known.mismatch(known.last);
  }

  private static Kind kind(Class<?> type) {
    if (NUMBERS.contains(type) || (Number.class.isAssignableFrom(type) && type != Number.class)) {
      return Kind.NUMBER;
    }
    if (Enum.class.isAssignableFrom(type)) {
      return Kind.ENUM;
    }
    return type == UUID.class ? Kind.UUID : Kind.ANY;
  }

  private enum Kind {
    NUMBER("a number"),
    UUID("a UUID"),
    ENUM("the name of a constant"),
    ANY("a text");

    private final String noun;

    Kind(String noun) {
      this.noun = noun;
    }
  }

  /** The first keys of a build. */
  private record Sample(int keys, int numbers, int uuids) {

    /** Whether each key is a value of which text has several spellings. */
    boolean isSpelled() {
      return keys > 0 && (numbers == keys || uuids == keys);
    }

    String type() {
      if (numbers * 2 > keys) {
        return "numbers";
      }
      return uuids * 2 > keys ? "UUIDs" : "text";
    }
  }

  private static final class Filter {

    private final Map<Kind, String> callers = new ConcurrentHashMap<>();

    /** The kinds in which an entity's attribute, but not its column, has the keys. */
    private final Map<Kind, String> converted = new ConcurrentHashMap<>();

    private volatile @Nullable Sample last;

    /** A caller that asks a blacklist for texts. */
    private volatile @Nullable String speller;

    private final AtomicBoolean warned = new AtomicBoolean();

    void warnOfSpelling(String filter) {
      Sample sample = last;
      String caller = speller;
      if (sample == null || caller == null || !sample.isSpelled() || warned.getAndSet(true)) {
        return;
      }
      boolean numbers = sample.numbers > 0;
      log.warn(
          "{} asks the blacklist '{}' for text, but its source yields {}: a listed key passes in"
              + " another spelling, as {}, and a query may still find its row. Take the key as a"
              + " {}, or convert it before the guard",
          caller,
          filter,
          sample.type(),
          numbers ? "07 or +7 for 7" : "a UUID in upper case",
          numbers ? "long" : "UUID");
    }

    /** Whether a caller may ask for keys of any text. */
    private boolean isUnknown() {
      return callers.containsKey(Kind.ANY) || callers.containsKey(Kind.ENUM);
    }

    @Nullable String mismatch(@Nullable Sample sample) {
      if (sample == null || callers.isEmpty() || isUnknown()) {
        return null;
      }
      int fitting =
          (callers.containsKey(Kind.NUMBER) ? sample.numbers : 0)
              + (callers.containsKey(Kind.UUID) ? sample.uuids : 0);
      if (fitting * (long) ONE_IN >= sample.keys) {
        return null;
      }
      return "The source yields %s, but %s: %s of its first %s keys can be meant"
          .formatted(sample.type(), String.join(", ", callers.values()), fitting, sample.keys);
    }
  }
}
