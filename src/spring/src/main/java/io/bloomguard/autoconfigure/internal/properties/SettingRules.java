package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.StartRefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;

/**
 * Rules of settings, each a row of a table: what is refused, why, and the remedy.
 *
 * <pre>{@code
 * warm-up.min-keys must be at least 0
 * > Set it to the fewest keys that the source can have.
 *
 * hash set & layout is guava|counting: the layout '{layout}' has its own hash
 * > Leave it out, or use the layout 'blocked'.
 * }</pre>
 *
 * <p>The first form has the bounds of one setting, which hold where it has a value; a duration has
 * ten years at most besides. The second has conditions, all of which hold of what is refused, and
 * the reason. A setting is set, or given, if it has another value than its default. The failure
 * names the first setting of the row, with its value unless that is set or unset, and the reason,
 * unless this is a sentence of its own, after an equals sign. In the texts {@code $} is the prefix
 * of the settings, and a name in braces the value of that setting. Lines that begin with a blank
 * continue the one before.
 *
 * @param <S> the settings that are judged
 */
public final class SettingRules<S> {

  /** The record of that class none of whose settings is set. */
  private static final ClassValue<Object> USUAL =
      new ClassValue<>() {
        @Override
        protected Object computeValue(Class<?> record) {
          return new Binder().bindOrCreate("unset", record);
        }
      };

  private static final Pattern ROW =
      Pattern.compile("^(\\S.*(?:\\n .*)*)\\n> (.*(?:\\n .*)*)", Pattern.MULTILINE);

  private static final Pattern SEVERAL =
      Pattern.compile("((?:[a-z0-9-]+\\.)*)([a-z0-9-]+\\|\\S+)( .*)");

  private static final Pattern BOUND = Pattern.compile("(\\S+) (must .*)");
  private static final Map<String, String> SAID = Map.of("set", " is set", "unset", " is not set");
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z][a-z0-9.-]*)}");

  private static final Pattern BETWEEN =
      Pattern.compile(
          "must (?:(be positive|not be negative)|be at least (\\S+)|be at most (\\S+)"
              + "|be (?:from |within )?([\\[(]?)(\\S+?),? (?:to |and )?(\\S+?)[\\])]?)(?: .*)?");

  private static final Duration LONGEST = CacheSettings.LONGEST;

  private final Function<String, Setting<S>> settings;
  private final List<Row<S>> rows = new ArrayList<>();

  /**
   * A setting.
   *
   * @param value reads it
   * @param usual its default
   */
  record Setting<S>(Function<S, @Nullable Object> value, @Nullable Object usual) {

    @Nullable Object in(S of) {
      return value.apply(of);
    }

    boolean isSet(S of) {
      Object now = in(of);
      return now != null
          && !now.equals(usual)
          && !now.equals(false)
          && !(now instanceof CharSequence text && text.toString().isBlank())
          && !(now instanceof Collection<?> several && several.isEmpty());
    }
  }

  /**
   * A row.
   *
   * @param setting the one that it is about
   * @param said what the message says of it; null for its value
   */
  private record Row<S>(
      Predicate<S> refuses,
      String name,
      Setting<S> setting,
      @Nullable String said,
      String reason,
      String remedy) {

    String subject(String prefix, S of) {
      String is = said == null ? " is " + quoted(setting.in(of)) : said;
      return prefix + "." + name + is + (reason.startsWith(",") ? "" : ", but ");
    }
  }

  /**
   * The rules of that table.
   *
   * @param settings finds one by its name
   * @throws IllegalArgumentException for a row that makes no sense
   */
  SettingRules(String table, Function<String, Setting<S>> settings) {
    this.settings = settings;
    for (MatchResult row : ROW.matcher(table).results().toList()) {
      add(line(row.group(1)), line(row.group(2)));
    }
  }

  /** The table in the file of that name beside {@code type}. */
  public static String table(Class<?> type, String name) {
    try {
      return new ClassPathResource(name, type).getContentAsString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  /**
   * The setting of a record at that path, such as {@code warm-up.min-keys}, or what a method of
   * such a name tells of the settings beside it.
   */
  static <S> Setting<S> setting(
      Class<?> record, String path, Function<S, @Nullable Object> ofRoot) {
    Function<S, @Nullable Object> value = ofRoot;
    Object usual = null;
    Class<?> type = record;
    for (String name : path.split("\\.")) {
      Method method = SettingNames.method(type, name);
      if (method == null) {
        throw new IllegalArgumentException("There is no setting " + path);
      }
      boolean own = SettingNames.of(type).containsKey(name);
      usual = own ? ReflectionUtils.invokeMethod(method, USUAL.get(type)) : null;
      Function<S, @Nullable Object> ofRecord = value;
      value =
          root -> {
            Object of = ofRecord.apply(root);
            return of == null ? null : ReflectionUtils.invokeMethod(method, of);
          };
      type = method.getReturnType();
    }
    return new Setting<>(value, usual);
  }

  private void add(String rule, String remedy) {
    Matcher several = SEVERAL.matcher(rule);
    Matcher bound = BOUND.matcher(rule);
    if (several.matches()) {
      for (String name : several.group(2).split("\\|")) {
        add(several.group(1) + name + several.group(3), remedy);
      }
    } else if (bound.matches()) {
      addBound(bound.group(1), bound.group(2), remedy);
    } else {
      String[] parts = rule.split(": ", 2);
      String[] first = parts[0].split(" ", 3);
      List<Predicate<S>> all = Stream.of(parts[0].split(" & ")).map(this::condition).toList();
      Predicate<S> refuses = of -> all.stream().allMatch(one -> one.test(of));
      add(refuses, first[0], SAID.get(first[1]), parts[1], remedy);
    }
  }

  private void addBound(String name, String rule, String remedy) {
    Setting<S> setting = settings.apply(name);
    Matcher bounds = BETWEEN.matcher(rule);
    if (!bounds.matches()) {
      throw new IllegalArgumentException("There is no bound in: " + rule);
    }
    add(of -> !isWithin(bounds, setting.in(of)), name, null, rule, remedy);
    if (bounds.group(1) != null) {
      Predicate<S> endless =
          of -> setting.in(of) instanceof Duration time && time.compareTo(LONGEST) > 0;
      add(endless, name, null, "must be at most " + LONGEST.toDays() + " days", remedy);
    }
  }

  private static boolean isWithin(MatchResult bounds, @Nullable Object value) {
    if (value == null) {
      return true;
    }
    String low = bounds.group(1) == null ? bounds.group(2) : "0";
    String least = low == null ? bounds.group(5) : low;
    String most = bounds.group(3) == null ? bounds.group(6) : bounds.group(3);
    boolean above = "be positive".equals(bounds.group(1)) || "(".equals(bounds.group(4));
    double number = number(value);
    return (least == null
            || (above ? number > number(least, value) : number >= number(least, value)))
        && (most == null || number <= number(most, value));
  }

  private void add(
      Predicate<S> refuses, String name, @Nullable String said, String reason, String remedy) {
    for (MatchResult named : PLACEHOLDER.matcher(reason + remedy).results().toList()) {
      var unused = settings.apply(named.group(1));
    }
    rows.add(new Row<>(refuses, name, settings.apply(name), said, reason, remedy));
  }

  private Predicate<S> condition(String text) {
    String[] parts = text.split(" ", 3);
    Setting<S> setting = settings.apply(parts[0]);
    String operand = parts.length < 3 ? "" : parts[2];
    return switch (parts[1]) {
      case "set", "given" -> setting::isSet;
      case "unset" -> of -> !setting.isSet(of);
      case "is" -> of -> isOne(setting.in(of), operand);
      case "not" -> of -> setting.in(of) != null && !isOne(setting.in(of), operand);
      case "unlike" -> of -> !text(setting.in(of)).matches(operand);
      case "<=" -> of -> number(setting.in(of)) <= bound(operand, of);
      case ">" -> of -> number(setting.in(of)) > bound(operand, of);
      default -> throw new IllegalArgumentException("There is no condition " + text);
    };
  }

  /** The number, or that of the setting of that name. */
  private double bound(String operand, S of) {
    return Character.isDigit(operand.charAt(0))
        ? Double.parseDouble(operand)
        : number(settings.apply(operand).in(of));
  }

  private static double number(@Nullable Object value) {
    return value instanceof Duration time
        ? time.toSeconds() + time.toNanosPart() / 1e9
        : value instanceof DataSize size
            ? size.toBytes()
            : value instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  private static double number(String text, @Nullable Object like) {
    return like instanceof Duration
        ? number(DurationStyle.detectAndParse(text))
        : number(like instanceof DataSize ? DataSize.parse(text) : Double.valueOf(text));
  }

  private static boolean isOne(@Nullable Object value, String choices) {
    return value != null && List.of(choices.split("\\|")).contains(text(value));
  }

  private static String text(@Nullable Object value) {
    return value instanceof Enum<?> one
        ? one.name().toLowerCase(Locale.ROOT).replace('_', '-')
        : String.valueOf(value);
  }

  private static String quoted(@Nullable Object value) {
    return value instanceof Enum<?> || value instanceof String
        ? "'" + text(value) + "'"
        : text(value);
  }

  /**
   * Refuses settings that a row is about.
   *
   * @param prefix of their names
   * @throws StartRefusedException for the first row
   */
  public void require(String prefix, S of) {
    for (Row<S> row : rows) {
      if (row.refuses().test(of)) {
        String reason = filled(prefix, row.reason(), of);
        throw new StartRefusedException(
            reason.startsWith("= ") ? reason.substring(2) : row.subject(prefix, of) + reason,
            filled(prefix, row.remedy(), of));
      }
    }
  }

  private String filled(String prefix, String text, S of) {
    return PLACEHOLDER
        .matcher(text.replace("$.", prefix + "."))
        .replaceAll(name -> Matcher.quoteReplacement(text(settings.apply(name.group(1)).in(of))));
  }
}
