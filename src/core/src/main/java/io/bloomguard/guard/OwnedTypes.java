package io.bloomguard.guard;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The classes whose instances belong to the caller that loaded them, such as entities, which belong
 * to a persistence context. Such a value is never kept or handed to a second caller.
 */
@FunctionalInterface
public interface OwnedTypes {

  /** No class is known to be owned. */
  OwnedTypes NONE = type -> null;

  /**
   * {@return the reason why instances of {@code type} belong to one caller, such as "is a JPA
   * entity"; null if there is none} Called once for most classes.
   *
   * @param type a class of any kind
   */
  @Nullable String reason(Class<?> type);

  /**
   * {@return the reason why instances of {@code type} belong to one tenant, so that one key may
   * stand for several instances, such as "has a {@code @TenantId}"; null if there is none}
   *
   * @param type a class of any kind
   */
  default @Nullable String tenant(Class<?> type) {
    return null;
  }

  /**
   * {@return the reason why callers of one tenant find different instances of {@code type} by one
   * key, such as a data permission; null if there is none}
   *
   * @param type a class of any kind
   */
  default @Nullable String caller(Class<?> type) {
    return null;
  }

  /**
   * {@return the union of {@code all}}
   *
   * @param all the kinds of such types; none for no types
   */
  static OwnedTypes of(List<? extends OwnedTypes> all) {
    List<OwnedTypes> known = List.copyOf(all);
    return new OwnedTypes() {
      @Override
      public @Nullable String reason(Class<?> type) {
        return first(types -> types.reason(type));
      }

      @Override
      public @Nullable String tenant(Class<?> type) {
        return first(types -> types.tenant(type));
      }

      @Override
      public @Nullable String caller(Class<?> type) {
        return first(types -> types.caller(type));
      }

      private @Nullable String first(Function<OwnedTypes, @Nullable String> look) {
        return known.stream().map(look).filter(Objects::nonNull).findFirst().orElse(null);
      }
    };
  }
}
