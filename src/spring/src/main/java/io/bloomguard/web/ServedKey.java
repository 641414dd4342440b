package io.bloomguard.web;

import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.util.ClassUtils;

/**
 * A handler method that serves requests of a rule, and what it makes of the rule's key.
 *
 * @param variable the variable of the handler's pattern in the place of the rule's key; empty for
 *     none
 * @param argument the type of its argument; null if that cannot be known
 * @param isOverridden whether a parameter of the request with the variable's name goes before it,
 *     as in a data binder
 * @param otherwise what it does with the key, unless a type stands for all with the same spellings
 */
record ServedKey(
    MappedHandler mapped,
    String variable,
    @Nullable TypeDescriptor argument,
    boolean isOverridden,
    String otherwise) {

  private static final Set<Class<?>> INTEGERS =
      Set.of(Long.class, Integer.class, Short.class, Byte.class);

  /** Whether the handler takes several keys from the variable, which no type of a rule says. */
  boolean several() {
    return argument != null && (argument.isCollection() || argument.isArray());
  }

  boolean isTakenAs(Class<?> type) {
    return argument != null && argument.getObjectType() == type;
  }

  /** The type that stands for all with the same spellings; null if there is none. */
  @Nullable Class<?> kind() {
    Class<?> type = argument == null ? Void.class : argument.getObjectType();
    if (INTEGERS.contains(type)) {
      return Long.class;
    }
    return type == String.class || type == UUID.class || type.isEnum() ? type : null;
  }

  @Override
  public String toString() {
    String does =
        kind() == null || argument == null ? otherwise : "takes it as a " + argument.getName();
    return ClassUtils.getShortName(mapped.handler().getBeanType())
        + "."
        + mapped.handler().getMethod().getName()
        + " "
        + does;
  }
}
