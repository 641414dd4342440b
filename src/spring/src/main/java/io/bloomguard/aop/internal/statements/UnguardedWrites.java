package io.bloomguard.aop.internal.statements;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.MappedStatements;
import io.bloomguard.aop.MappedStatements.Kind;
import io.bloomguard.aop.MappedStatements.Statement;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * The methods of guarded beans that write without the guard: it would reject the rows that they
 * insert, and the cache would answer with rows that they changed or deleted.
 *
 * <p>Most are inherited by a repository. They are recognised by the statement that MyBatis runs for
 * them, by name, or by the annotations of Spring Data and MyBatis.
 *
 * @param policy the reaction to a method that is found
 * @param statements the statements of mapper methods
 * @param keyQueries the key query of a filter's source; null for none
 * @param calls the calls in the application's own code
 * @param fed whether a filter has a feed of the changes of its rows, which tells of all writes
 */
public record UnguardedWrites(
    Policy policy,
    MappedStatements statements,
    Function<String, @Nullable String> keyQueries,
    OwnCalls calls,
    Predicate<String> fed) {

  /** The remedies. */
  public enum Policy {
    /** The log names the methods, once for each bean. */
    WARN,
    /** The application does not start. */
    FAIL,
    /** The methods are ignored. */
    IGNORE
  }

  private static final Logger LOG = LoggerFactory.getLogger(UnguardedWrites.class);

  private static final Pattern INSERTS =
      Pattern.compile("(save|insert|persist|merge|upsert)(?![a-z]).*");

  /** Those that insert rows and change none. */
  private static final Pattern PURE = Pattern.compile("(insert|persist|add|create)(?![a-z]).*");

  private static final Pattern CHANGES = Pattern.compile("(update|delete|remove)(?![a-z]).*");

  /** Of MyBatis and of each module of Spring Data, by name, since they may be absent. */
  private static final Pattern ANNOTATIONS =
      Pattern.compile(
          "org\\.springframework\\.data\\..+\\.Modifying"
              + "|org\\.apache\\.ibatis\\.annotations\\.(Insert|Update|Delete)(Provider)?");

  /** Whether methods of a name write, as far as the name tells. */
  static boolean isWriting(String name) {
    return CHANGES.matcher(name).matches() || INSERTS.matcher(name).matches();
  }

  /**
   * A method that writes.
   *
   * @param put the filters that a method's annotation has it put keys to
   * @param told the filters that learn of its keys
   */
  private record Write(
      Method method, Kind kind, @Nullable Statement statement, Set<String> put, Set<String> told) {

    /** Whether it may change or delete a row, of which a value may be kept. */
    boolean changes() {
      return kind == Kind.CHANGES || !PURE.matcher(method.getName()).matches();
    }
  }

  /** What unguarded writes lead to, and what to do besides annotating them, in their order. */
  private enum Harm {
    KEYLESS("", ""),
    INSERTED("Rows that these insert are rejected until the next rebuild", ""),
    RESTORED(
        "Rows that these change, or make the source's query find again, are rejected until the next"
            + " rebuild",
        "annotate a method that brings rows back with @BloomPut"),
    SELECTED(
        "",
        "let an insert of a query's rows take their keys as a parameter, read before (@BloomPut(key"
            + " = \"#ids\")), or put them after it by BloomGuard.putAll in the same transaction"),
    CACHED(
        "A row that they change or delete stays cached where values are kept",
        "keep no values (caching = Caching.NULLS on the lookup) where a method does not know the"
            + " key");

    final String reason;
    final String remedy;

    Harm(String reason, String remedy) {
      this.reason = reason;
      this.remedy = remedy;
    }
  }

  /**
   * Checks the methods of a bean.
   *
   * @param guarded the filters that its lookups ask
   * @param all the filters that any lookup asks: a statement of any mapper may bring rows back that
   *     their sources left out
   * @param keepsValues whether any lookup of a filter keeps values; if none does, only inserts
   *     matter
   * @throws StartRefusedException if some write unguarded, and the policy is to fail
   */
  public void check(
      Class<?> type, Set<String> guarded, Set<String> all, Predicate<String> keepsValues) {
    if (policy == Policy.IGNORE
        || all.isEmpty()
        || guarded.isEmpty() && statements == MappedStatements.NONE) {
      return;
    }
    Map<String, Set<String>> names = new TreeMap<>();
    Set<Harm> harms = find(type, guarded, all, keepsValues, names);
    if (names.isEmpty()) {
      return;
    }
    String problem =
        names.entrySet().stream()
            .map(filter -> String.join(", ", filter.getValue()) + " ('" + filter.getKey() + "')")
            .collect(
                Collectors.joining(
                    "; ",
                    name(type)
                        + (guarded.isEmpty() ? " has" : " has guarded lookups, and")
                        + " methods that write without telling the guard: ",
                    ""));
    String action =
        texts(harms, harm -> harm.reason, ". ")
            + (harms.contains(Harm.KEYLESS)
                ? "Put @BloomKey on the entity (Hibernate, Spring Data JDBC or R2DBC, MyBatis),"
                    + " annotate"
                : "Annotate")
            + " the methods with @BloomPut or @BloomEvict, "
            + texts(harms, harm -> harm.remedy, ", ")
            + "or set bloomguard.unguarded-writes=ignore";
    if (policy == Policy.FAIL) {
      throw new StartRefusedException(problem, action);
    }
    LOG.warn("{}. {}", problem, action);
  }

  private static String texts(Set<Harm> harms, Function<Harm, String> text, String end) {
    return harms.stream()
        .map(text)
        .filter(each -> !each.isEmpty())
        .map(each -> each + end)
        .collect(Collectors.joining());
  }

  /** Adds the unguarded writes of a bean to those of each filter. */
  private Set<Harm> find(
      Class<?> type,
      Set<String> guarded,
      Set<String> all,
      Predicate<String> keepsValues,
      Map<String, Set<String>> names) {
    Set<String> ofEntity = RowAnnotations.ofRepository(type);
    Set<Harm> harms = EnumSet.noneOf(Harm.class);
    for (Write write : writes(type, ofEntity)) {
      Statement statement = write.statement();
      for (String filter : all) {
        boolean own = guarded.contains(filter);
        boolean restores = statement != null && restores(type, statement, filter, own);
        Set<Harm> mine = EnumSet.noneOf(Harm.class);
        if (restores) {
          mine.add(Harm.RESTORED);
        } else if (own && write.kind() == Kind.INSERTS && !isOfOtherTable(statement, filter)) {
          mine.add(Harm.INSERTED);
        }
        if (!mine.isEmpty() && statement != null && statement.ofSelect()) {
          mine.add(Harm.SELECTED);
        }
        if ((own || restores) && keepsValues.test(filter)) {
          mine.add(Harm.CACHED);
        }
        // The update of a row with a key adds none.
        if (!mine.isEmpty() && !(restores ? write.put() : write.told()).contains(filter)) {
          names.computeIfAbsent(filter, f -> new TreeSet<>()).add(name(type, write.method()));
          harms.addAll(mine);
          if (!restores && !ofEntity.contains(filter)) {
            harms.add(Harm.KEYLESS);
          }
        }
      }
    }
    return harms;
  }

  private List<Write> writes(Class<?> type, Set<String> ofEntity) {
    List<Write> writes = new ArrayList<>();
    for (Method method : methods(type)) {
      Statement statement = statements.of(type, method);
      Kind kind = kind(method, statement);
      if (kind != Kind.READS) {
        Set<String> put =
            AnnotatedMethod.filters(BloomPut.class, method, type).collect(Collectors.toSet());
        Set<String> told =
            Stream.of(
                    put.stream(),
                    AnnotatedMethod.filters(BloomEvict.class, method, type),
                    ofRows(type, method, kind, ofEntity))
                .flatMap(filters -> filters)
                .collect(Collectors.toSet());
        writes.add(new Write(method, kind, statement, put, told));
      }
    }
    return writes;
  }

  /** The filters that learn of a method's writes from the class of the rows. */
  private static Stream<String> ofRows(
      Class<?> type, Method method, Kind kind, Set<String> ofEntity) {
    return QueryMethods.passCallbacks(type, method)
        ? Stream.empty()
        : Stream.concat(
            RowAnnotations.told(type, method, kind).stream(),
            QueryMethods.passListeners(type, method) ? Stream.empty() : ofEntity.stream());
  }

  /** The reason to keep values of a filter's rows where no {@link #unseen} write is found. */
  public String promise(String filter) {
    return policy == Policy.IGNORE
        ? "bloomguard.unguarded-writes=ignore promises that writes evict what they change"
        : fed.test(filter)
            ? "its feed of changes tells of all writes"
            : "no write of its rows is known that the guard does not see";
  }

  /**
   * A method of a bean that changes rows of a filter without telling it, and that the application
   * itself declares, overrides or calls; null for none.
   */
  public @Nullable String unseen(Class<?> type, String filter) {
    if (policy == Policy.IGNORE || fed.test(filter)) {
      return null;
    }
    for (Write write : writes(type, RowAnnotations.ofRepository(type))) {
      boolean told = write.told().contains(filter) && !QueryMethods.passAll(type, write.method());
      if (!told && write.changes() && !isOfOtherTable(write.statement(), filter)) {
        String method = name(type) + "." + name(type, write.method());
        if (calls.isOwn(type, write.method())) {
          return method;
        }
        String caller = calls.caller(type, write.method());
        if (caller != null) {
          return method + ", which " + caller + " calls,";
        }
      }
    }
    return null;
  }

  /**
   * Whether a statement writes a table whose rows have no keys of the filter. A source that no
   * statement writes may be a view of this one.
   */
  private boolean isOfOtherTable(@Nullable Statement statement, String filter) {
    String query = keyQueries.apply(filter);
    String source = query == null ? null : WrittenTable.readBy(query);
    String table = statement == null ? null : statement.table();
    return source != null && table != null && !source.equals(table) && statements.write(source);
  }

  /**
   * Whether an update of a filter's table may make its source find rows that it left out, such as
   * those that were deleted logically.
   *
   * @param own whether lookups beside it ask the filter
   */
  private boolean restores(Class<?> type, Statement statement, String filter, boolean own) {
    String query = keyQueries.apply(filter);
    boolean ofFilter =
        own
            ? !isOfOtherTable(statement, filter)
            : query != null
                && statement.table() != null
                && statement.table().equals(WrittenTable.readBy(query));
    if (!ofFilter) {
      return false;
    }
    Map<String, String> required = new HashMap<>(RowAnnotations.logicColumns(type));
    required.putAll(WrittenColumns.required(query == null ? "" : query));
    return WrittenColumns.meet(statement.sets(), required);
  }

  /** The name of a method with the types of its parameters, as called on objects of a class. */
  private static String name(Class<?> type, Method method) {
    return IntStream.range(0, method.getParameterCount())
        .mapToObj(i -> new MethodParameter(method, i))
        .map(each -> ResolvableType.forMethodParameter(each, ResolvableType.forClass(type)))
        .map(each -> each.resolve(Object.class).getSimpleName())
        .collect(Collectors.joining(", ", method.getName() + "(", ")"));
  }

  /**
   * The methods of a class; for a proxy those of the application's interfaces, since a repository's
   * proxy has Spring's as well.
   */
  private static List<Method> methods(Class<?> type) {
    Class<?>[] types = Proxy.isProxyClass(type) ? type.getInterfaces() : new Class<?>[] {type};
    return Stream.of(types)
        .filter(declaring -> !AnnotatedMethod.isFramework(declaring))
        .flatMap(declaring -> Stream.of(declaring.getMethods()))
        .toList();
  }

  private static Kind kind(Method method, @Nullable Statement statement) {
    if (method.isBridge()
        || Modifier.isStatic(method.getModifiers())
        || AnnotatedMethod.find(BloomGuarded.class, method, method.getDeclaringClass()) != null) {
      return Kind.READS;
    }
    if (statement != null && statement.kind() != Kind.READS) {
      return statement.kind();
    }
    Kind query = QueryMethods.kind(method);
    if (query != null) {
      return query;
    }
    if (CHANGES.matcher(method.getName()).matches()) {
      return Kind.CHANGES;
    }
    if (INSERTS.matcher(method.getName()).matches()) {
      return Kind.INSERTS;
    }
    return QueryMethods.annotations(method, ANNOTATIONS)
        .map(each -> each.getType().getSimpleName())
        .map(each -> each.matches("(Update|Delete).*") ? Kind.CHANGES : Kind.INSERTS)
        .findFirst()
        .orElse(Kind.READS);
  }

  /**
   * The name of a bean's class; a repository is named by its interface, not by the proxy that
   * implements it.
   */
  private static String name(Class<?> type) {
    return Proxy.isProxyClass(type) ? type.getInterfaces()[0].getTypeName() : type.getTypeName();
  }
}
