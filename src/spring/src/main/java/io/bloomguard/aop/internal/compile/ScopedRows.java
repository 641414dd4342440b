package io.bloomguard.aop.internal.compile;

import io.bloomguard.aop.internal.call.MultiKeyCalls;
import io.bloomguard.guard.internal.KeyScope;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of written rows, each with the scope that its row has in a property. */
final class ScopedRows {

  private ScopedRows() {}

  /**
   * The key of a row, or those of several.
   *
   * @param scopes the scope of the row, or that of each; null for that of the call
   */
  static @Nullable Object keys(@Nullable Object keys, @Nullable Object scopes, boolean plural) {
    if (keys == null || scopes == null) {
      return keys;
    }
    if (!plural) {
      return KeyScope.Scoped.of(scopes, keys);
    }
    Iterator<?> each = MultiKeyCalls.keys(scopes).iterator();
    List<@Nullable Object> scoped = new ArrayList<>();
    for (Object key : MultiKeyCalls.keys(keys)) {
      scoped.add(keys(key, each.next(), false));
    }
    return scoped;
  }
}
