package io.bloomguard.guard;

/** The classes whose {@code @BloomKey} one kind of mapping applies. */
@FunctionalInterface
public interface KeyedClasses {

  /** Whether the annotations that {@code type} itself declares are applied. */
  boolean contain(Class<?> type);
}
