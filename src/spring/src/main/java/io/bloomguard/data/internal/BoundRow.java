package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.RowKey;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * An object that is a row, in a statement's parameter.
 *
 * @param keys those of its class
 * @param form the form in which the column of a property holds a value
 */
record BoundRow(
    Object object, List<RowKey<BoundRow>> keys, BiFunction<String, Object, @Nullable Object> form) {

  /** A row whose values are those of its properties. */
  BoundRow(Object object, List<RowKey<BoundRow>> keys) {
    this(object, keys, (property, value) -> value);
  }

  /** Whether the object has a key already. */
  boolean has(RowKey<BoundRow> key) {
    return key.of(this) != null;
  }

  boolean hasKeys() {
    return keys.stream().allMatch(this::has);
  }
}
