package io.bloomguard.guard;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The classes whose instances belong to the caller that loaded them, such as entities, which belong
 * to a persistence context. Such a value is never kept or handed to a second caller.
 */
@FunctionalInterface
public interface OwnedTypes {

  /** None is known. */
  OwnedTypes NONE = type -> null;

  /**
   * What makes instances of {@code type} one caller's, such as "is a JPA entity"; null if nothing
   * does. Asked once for most classes.
   */
  @Nullable String reason(Class<?> type);

  /** What any of {@code all} knows. */
  static OwnedTypes of(List<? extends OwnedTypes> all) {
    List<OwnedTypes> known = List.copyOf(all);
    return type ->
        known.stream()
            .map(types -> types.reason(type))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
  }
}
