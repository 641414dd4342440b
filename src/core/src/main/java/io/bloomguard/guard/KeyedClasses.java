package io.bloomguard.guard;

/** The classes to which one kind of mapping applies {@code @BloomKey}. */
@FunctionalInterface
public interface KeyedClasses {

  /**
   * {@return whether the annotations that {@code type} itself declares are applied}
   *
   * @param type a class of any kind
   */
  boolean contain(Class<?> type);
}
