package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowKey;
import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inspector that warns of statements that change the rows of an annotated entity past
 * Hibernate's listeners: bulk HQL and native ones. It warns of each once for each method that runs
 * it.
 */
final class BulkStatements implements StatementInspector {

  private static final long serialVersionUID = 1L;

  /** The number of statement shapes that are checked; later ones are not. */
  private static final int MOST = 1_000;

  private static final Pattern LITERAL = Pattern.compile("'[^']*+'|\\b\\d++(?:\\.\\d++)?");

  private static final Pattern LIST = Pattern.compile("\\(\\s*\\?(?:\\s*,\\s*\\?)++\\s*\\)");

  private static final Set<String> VERBS = Set.of("insert", "update", "delete", "merge");

  /** The packages between a statement and the method of the application that runs it. */
  private static final List<String> BETWEEN =
      List.of(
          "org.hibernate.",
          "org.springframework.",
          "io.bloomguard.aop.",
          "io.bloomguard.guard.",
          "io.bloomguard.jpa.internal.Bulk",
          "java.",
          "jdk.");

  /** The calls of methods with {@code @BloomPut} or {@code @BloomEvict}. */
  private static final String WRITES = "io.bloomguard.aop.internal.call.WriteCalls";

  /** Applications, although their packages begin like Spring's own. */
  private static final String SAMPLES = "org.springframework.samples.";

  private static final Logger log = LoggerFactory.getLogger(BulkStatements.class);

  private final transient Supplier<? extends Collection<KeyedEntities>> entities;
  private final transient BiConsumer<List<RowKey<EntityState>>, String> unseen;
  private final transient @Nullable StatementInspector next;
  private final transient Set<String> seen = ConcurrentHashMap.newKeySet();
  private final transient Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param unseen gets the keys of an entity whose rows a statement changes or deletes outside of
   *     an annotated write, with the statement's place
   * @param next the application's own inspector, null for none
   */
  BulkStatements(
      Supplier<? extends Collection<KeyedEntities>> entities,
      BiConsumer<List<RowKey<EntityState>>, String> unseen,
      @Nullable StatementInspector next) {
    this.entities = entities;
    this.unseen = unseen;
    this.next = next;
  }

  @Override
  public String inspect(String sql) {
    if (!isSelect(sql) && !seen.contains(sql) && seen.size() < MOST && seen.add(shape(sql))) {
      look(sql.toLowerCase(Locale.ROOT));
    }
    return next == null ? sql : next.inspect(sql);
  }

  private static boolean isSelect(String sql) {
    return sql.startsWith("select") || sql.startsWith("call") || sql.startsWith("values");
  }

  /** The statement without the parts that vary in its text: values and their number. */
  private static String shape(String sql) {
    String parametrised = LITERAL.matcher(sql).replaceAll("?");
    return parametrised.startsWith("insert")
        ? parametrised
        : LIST.matcher(parametrised).replaceAll("(?)");
  }

  private void look(String sql) {
    String[] words = sql.replaceAll("/\\*.*?\\*/", " ").trim().split("[^\\w$]+");
    if (words.length == 0 || !VERBS.contains(words[0])) {
      return;
    }
    Set<String> all = new HashSet<>(Arrays.asList(words));
    for (KeyedEntities keyed : entities.get()) {
      String entity = keyed.writtenBy(all);
      if (entity != null && isBulk()) {
        String caller = caller();
        // A statement with a value in its text differs each time.
        if (!warned.add(words[0] + entity + caller)) {
          return;
        }
        List<RowKey<EntityState>> keys = keyed.of(entity);
        if (keys != null && !words[0].equals("insert") && !isOnStack(WRITES, "")) {
          unseen.accept(keys, "The " + words[0].toUpperCase(Locale.ROOT) + " at " + caller);
        }
        // Never the statement itself, which may hold a key.
        log.warn(
            "The {} at {} changes rows of {} past its listeners, so none of its keys is"
                + " {} within the same transaction",
            words[0].toUpperCase(Locale.ROOT),
            caller,
            entity,
            advice(words[0]));
        return;
      }
    }
  }

  private static String advice(String verb) {
    return switch (verb) {
      case "insert" -> "added to a filter: use BloomGuard.putAll";
      case "delete" -> "dropped from a cache: use BloomGuard.evict";
      default -> "added to a filter or dropped from a cache: use BloomGuard.putAll or evict";
    };
  }

  /** Whether the statement is not one of an entity: its session is executing a query. */
  private static boolean isBulk() {
    return isOnStack("org.hibernate.query.", "executeUpdate");
  }

  private static boolean isOnStack(String type, String method) {
    Predicate<StackFrame> named =
        frame ->
            frame.getClassName().startsWith(type)
                && (method.isEmpty() || frame.getMethodName().equals(method));
    return StackWalker.getInstance().walk(frames -> frames.anyMatch(named));
  }

  private static String caller() {
    return StackWalker.getInstance()
        .walk(frames -> frames.filter(BulkStatements::isApplication).findFirst())
        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
        .orElse("an unknown place");
  }

  private static boolean isApplication(StackFrame frame) {
    String name = frame.getClassName();
    return !name.contains("$$")
        && !name.contains("$Proxy")
        && (name.startsWith(SAMPLES) || BETWEEN.stream().noneMatch(name::startsWith));
  }
}
