package io.bloomguard.data.internal.row;

import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyedAttribute;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The key that a filter holds for each row of a class, and the effect of a row's writes on it.
 *
 * @param <R> a row, as its mapper has it
 * @param filter the name of the filter
 * @param paths the path to the key, or to each of its parts
 * @param scope the path to the scope of the key; null if the rows have none
 * @param follows whether the key is the id of another row, whose own writes add it: those of this
 *     class only drop its entries
 */
public record RowKey<R>(
    String filter, List<RowPath<R>> paths, @Nullable RowPath<R> scope, boolean follows) {

  /**
   * Compiles the key of {@code filter} that {@code attribute} names: empty for the id, several
   * attributes with commas for a key of parts.
   *
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  static <R> RowKey<R> of(
      RowType<R> type, String filter, String attribute, Function<String, @Nullable String> scopes) {
    String column = scopes.apply(filter);
    String scope = column == null ? null : type.scope(column);
    List<RowPath<R>> paths =
        type.parts(attribute).stream()
            .map(String::strip)
            .filter(name -> !name.equals(scope))
            .map(type::path)
            .toList();
    return new RowKey<>(filter, paths, scope == null ? null : type.path(scope), false);
  }

  /** {@return this key, which the writes of its target add} */
  public RowKey<R> following() {
    return new RowKey<>(filter, paths, scope, /* follows= */ true);
  }

  /** {@return the class whose id the key is, if its rows are others; else null} */
  public @Nullable String target() {
    return paths.size() == 1 ? paths.get(0).target() : null;
  }

  /** {@return whether a row keeps this key for as long as it lives} */
  public boolean isOfId() {
    return paths.stream().allMatch(RowPath::isOfId);
  }

  /** {@return whether a part of it is the row's id, or of it} */
  public boolean takesId() {
    return paths.stream().anyMatch(RowPath::isOfId);
  }

  /** {@return whether it is the whole id, which no two rows have} */
  public boolean isWholeId() {
    return paths.size() == 1 && paths.get(0).isWholeId();
  }

  /**
   * {@return the key of a row; null if it has none yet}
   *
   * @param row the row; null for none
   */
  public @Nullable Object of(@Nullable R row) {
    if (row == null) {
      return null;
    }
    List<@Nullable Object> parts = new ArrayList<>(paths.size());
    paths.forEach(path -> parts.add(path.of(row)));
    if (parts.contains(null)) {
      return null;
    }
    Object key = parts.size() == 1 ? parts.get(0) : parts;
    Object own = scope == null ? null : scope.of(row);
    return key == null || own == null ? key : KeyScope.Scoped.of(own, key);
  }

  /**
   * {@return the key that is a row's whole id}
   *
   * @param id the id
   */
  public @Nullable Object ofId(Object id) {
    return paths.get(0).stored().apply(id);
  }

  /**
   * Gathers the effect of a row that comes, changes or goes.
   *
   * @param before the row as it was; null for one that comes
   * @param after the row as it will be; null for one that goes
   */
  public void changes(GatheredWrites writes, @Nullable R before, @Nullable R after) {
    if (follows) {
      writes.change(filter, of(before));
      writes.change(filter, of(after));
    } else {
      writes.update(filter, of(before), of(after));
    }
  }

  /** Gathers a key that the database has drawn, unless it was gathered before. */
  public void drawn(GatheredWrites writes, R row) {
    if (follows) {
      writes.change(filter, of(row));
    } else {
      writes.addUnlessKnown(filter, of(row));
    }
  }

  /**
   * Describes the attributes of the key to the guards.
   *
   * @param type the class of its rows
   * @param removes whether the deletion of a row takes its id out of the filter
   */
  List<KeyedAttribute> describe(RowType<R> type, boolean removes) {
    return paths.stream().map(path -> describe(type, path, removes)).toList();
  }

  @SuppressWarnings(
      "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
  private KeyedAttribute describe(RowType<R> type, RowPath<R> path, boolean removes) {
    Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(path.type());
    return new KeyedAttribute(
        type.name(),
        path.attribute().isEmpty() ? "its id" : "'" + path.attribute() + "'",
        boxed,
        KeyedAttribute.samples(boxed, path.stored()::apply),
        paths.size() > 1,
        isWholeId() && removes,
        target() != null && !follows);
  }
}
