package io.bloomguard.web;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;

/**
 * A handler method that serves requests of a rule, and what it makes of the rule's key.
 *
 * @param variable the variable of the handler's pattern in the place of the rule's key; empty for
 *     none
 * @param argument the type of its argument; null if that cannot be known
 * @param otherwise what it does with the key, unless a type stands for all with the same spellings
 */
record ServedKey(
    MappedHandler mapped, String variable, @Nullable TypeDescriptor argument, String otherwise) {

  private static final Set<Class<?>> INTEGERS =
      Set.of(Long.class, Integer.class, Short.class, Byte.class);

  /** The types of keys, without those that cannot be known. */
  static Set<Class<?>> kinds(List<ServedKey> served) {
    Set<Class<?>> kinds = new LinkedHashSet<>();
    served.stream().map(ServedKey::kind).filter(Objects::nonNull).forEach(kinds::add);
    return kinds;
  }

  /** The type that takes every key of a kind that one of the handlers takes. */
  static TypeDescriptor widest(List<ServedKey> served, Class<?> kind) {
    TypeDescriptor first = served.get(0).argument();
    return first != null
            && served.stream()
                .map(ServedKey::argument)
                .allMatch(
                    argument ->
                        argument != null && argument.getObjectType() == first.getObjectType())
        ? first
        : TypeDescriptor.valueOf(kind);
  }

  /** Whether the handler takes several keys from the variable, which no type of a rule says. */
  boolean several() {
    return argument != null && (argument.isCollection() || argument.isArray());
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
    HandlerMethod handler = mapped.handler();
    String does =
        kind() == null || argument == null ? otherwise : "takes it as a " + argument.getName();
    return ClassUtils.getShortName(handler.getBeanType())
        + "."
        + handler.getMethod().getName()
        + " "
        + does;
  }
}
