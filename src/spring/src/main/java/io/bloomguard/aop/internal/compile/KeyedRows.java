package io.bloomguard.aop.internal.compile;

import java.util.Map;
import org.springframework.core.ResolvableType;

/** The rows that a lookup answers for one key. */
final class KeyedRows {

  private KeyedRows() {}

  /** Whether a container is one row, by the names of its columns, or one text or blob. */
  static boolean isOne(ResolvableType container) {
    Class<?> type = container.resolve(Object.class);
    ResolvableType map = container.as(Map.class);
    return type == byte[].class
        || type == char[].class
        || (map.resolveGeneric(0) == String.class && map.resolveGeneric(1) == Object.class);
  }

  /** The class of the rows in a collection, map or array. */
  static Class<?> of(ResolvableType rows) {
    return rows.isArray()
        ? rows.getComponentType().resolve(Object.class)
        : rows.getGeneric(Math.max(0, rows.getGenerics().length - 1)).resolve(Object.class);
  }
}
