package io.bloomguard.spark;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.image.ImagePlan;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command, each {@code --name value} but {@code --allow-overfull}.
 *
 * @param sql the query whose one column has the keys
 * @param job what is to be built
 */
record JobOptions(String sql, ImageJob job) {

  static final String USAGE =
      """
      spark-submit --class io.bloomguard.spark.BuildImages bloomguard-spark.jar
        --filter NAME            the filter's name
        --insertions N           its expected-insertions, such as 1e10
        --fpp P                  its false-positive-probability, such as 1e-4
        --sql QUERY              a query with one column, the keys
        --as-of INSTANT          the time up to which the table is complete, such as 2025-06-01T00:00:00Z
        --lag DURATION           the longest time from a commit to the table, such as 10m
        --out URI                the folder of the set
        --secret-file FILE       a file of the driver with the filter's hash-secret
        [--backend redis]        redis, or local for a filter in one image
        [--hash siphash-1-3]     its hash
        [--case exact] [--trim none] [--normalise none]   its keys.case, keys.trim, keys.normalise
        [--max-length 256]       its keys.max-length
        [--position TEXT]        the position of its feed of changes at that time
        [--slice-bytes 64MB]     the size of a file
        [--max-unusable 0.001]   the share of keys that may be null or no keys
        [--allow-overfull]       more keys than expected are no error
      """;

  private static final Set<String> REQUIRED =
      Set.of("filter", "insertions", "fpp", "sql", "as-of", "lag", "out", "secret-file");

  private static final Map<String, String> DEFAULTS =
      Map.of(
          "backend", "redis",
          "hash", "siphash-1-3",
          "case", "exact",
          "trim", "none",
          "normalise", "none",
          "max-length", "256",
          "slice-bytes", "64MB",
          "max-unusable", "0.001");

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
  private static final Pattern AMOUNT = Pattern.compile("(\\d+)([a-zA-Z]*)");

  /**
   * Reads the options.
   *
   * @throws IllegalArgumentException naming the option, its value and the rule it breaks
   */
  static JobOptions parse(String... arguments) {
    Map<String, String> given = given(arguments);
    Set<String> missing = new TreeSet<>(REQUIRED);
    missing.removeAll(given.keySet());
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "Missing: --" + String.join(", --", missing) + "\n" + USAGE);
    }
    HashSecret secret = secret(given.get("secret-file"));
    ImageJob job =
        new ImageJob(
            plan(given, secret),
            secret,
            given.get("out"),
            read(given, "as-of", "an instant such as 2025-06-01T00:00:00Z", Instant::parse),
            read(given, "lag", "a duration such as 10m", JobOptions::duration),
            given.get("position"),
            read(given, "max-length", "a number of bytes", Integer::parseInt),
            read(given, "max-unusable", "a number within 0 and 1", Double::parseDouble),
            given.containsKey("allow-overfull"));
    return new JobOptions(given.get("sql"), job);
  }

  private static Map<String, String> given(String... arguments) {
    Map<String, String> given = new LinkedHashMap<>(DEFAULTS);
    for (int i = 0; i < arguments.length; i++) {
      String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
      if (name.equals("allow-overfull")) {
        given.put(name, "");
      } else if (!REQUIRED.contains(name)
          && !DEFAULTS.containsKey(name)
          && !name.equals("position")) {
        throw new IllegalArgumentException("Unknown option: " + arguments[i] + "\n" + USAGE);
      } else if (++i == arguments.length) {
        throw new IllegalArgumentException("--" + name + " has no value\n" + USAGE);
      } else {
        given.put(name, arguments[i]);
      }
    }
    return given;
  }

  private static HashSecret secret(String file) {
    try {
      return HashSecret.parse(Files.readString(Path.of(file)).strip());
    } catch (IOException e) {
      throw new IllegalArgumentException("--secret-file " + file + " cannot be read: " + e, e);
    }
  }

  private static ImagePlan plan(Map<String, String> given, HashSecret secret) {
    String filter = given.get("filter");
    if (!NAME.matcher(filter).matches()) {
      throw new IllegalArgumentException("--filter is '" + filter + "', but must match " + NAME);
    }
    long insertions =
        read(
            given,
            "insertions",
            "a whole number such as 1e10",
            text -> new BigDecimal(text).longValueExact());
    double probability = read(given, "fpp", "a number within 0 and 1", Double::parseDouble);
    FilterPlan plan =
        switch (given.get("backend")) {
          case "redis" -> FilterPlan.redis(insertions, probability);
          case "local" -> FilterPlan.local(insertions, probability);
          default -> throw wrong("backend", given.get("backend"), "redis or local", null);
        };
    KeyFolding folding =
        new KeyFolding(
            constant(given, "case", KeyFolding.LetterCase.class),
            constant(given, "trim", KeyFolding.Trim.class),
            constant(given, "normalise", KeyFolding.Normalise.class));
    int slice = read(given, "slice-bytes", "a size such as 64MB, at most 1GB", JobOptions::size);
    return ImagePlan.of(
        filter, plan, constant(given, "hash", KeyHash.class), secret, folding, slice);
  }

  private static <E extends Enum<E>> E constant(
      Map<String, String> given, String name, Class<E> type) {
    return read(
        given,
        name,
        "one of " + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT),
        text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace('-', '_')));
  }

  /** Reads the text of one option. */
  @FunctionalInterface
  private interface Reading<T> {
    T of(String text);
  }

  private static <T> T read(
      Map<String, String> given, String name, String rule, Reading<T> reading) {
    String text = given.get(name);
    try {
      return reading.of(text);
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
      throw wrong(name, text, rule, e);
    }
  }

  private static IllegalArgumentException wrong(
      String name, String text, String rule, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "--" + name + " is '" + text + "', but must be " + rule, cause);
  }

  private static Duration duration(String text) {
    Matcher amount = AMOUNT.matcher(text);
    if (!amount.matches()) {
      return Duration.parse(text);
    }
    long count = Long.parseLong(amount.group(1));
    return switch (amount.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      case "d" -> Duration.ofDays(count);
      default -> throw new IllegalArgumentException("no unit");
    };
  }

  private static int size(String text) {
    Matcher amount = AMOUNT.matcher(text);
    if (!amount.matches()) {
      throw new IllegalArgumentException("no size");
    }
    long unit =
        switch (amount.group(2).toUpperCase(Locale.ROOT)) {
          case "", "B" -> 1;
          case "KB" -> 1 << 10;
          case "MB" -> 1 << 20;
          case "GB" -> 1 << 30;
          default -> throw new IllegalArgumentException("no unit");
        };
    long bytes = Math.multiplyExact(Long.parseLong(amount.group(1)), unit);
    if (bytes > 1 << 30) {
      throw new IllegalArgumentException("too large");
    }
    return (int) bytes;
  }
}
