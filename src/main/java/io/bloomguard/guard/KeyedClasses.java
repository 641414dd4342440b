package io.bloomguard.guard;

/** The classes to which one kind of mapping applies {@code @BloomKey}. */
@FunctionalInterface
public interface KeyedClasses {

  /** Whether the annotations that {@code type} itself declares are applied. */
  boolean contain(Class<?> type);
}
