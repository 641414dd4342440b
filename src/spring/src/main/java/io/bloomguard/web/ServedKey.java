package io.bloomguard.web;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;

/**
 * A handler method that serves requests of a rule, and what it makes of the rule's key.
 *
 * @param handler the method, for messages
 * @param pattern the handler's pattern
 * @param variable that pattern's variable in the place of the rule's key; empty for none
 * @param siblings the other patterns of the handler with that variable
 * @param argument the type of its argument; null if that cannot be known
 * @param kind the type that stands for all with the same spellings; null if there is none
 * @param unknown the reason why there is none
 */
record ServedKey(
    String handler,
    String pattern,
    String variable,
    List<String> siblings,
    @Nullable TypeDescriptor argument,
    @Nullable Class<?> kind,
    @Nullable String unknown) {

  private static final Set<Class<?>> INTEGERS =
      Set.of(Long.class, Integer.class, Short.class, Byte.class);

  /** This key, of which nothing is known. */
  ServedKey because(String reason) {
    return new ServedKey(handler, pattern, variable, siblings, null, null, reason);
  }

  /**
   * This key with the type of its argument.
   *
   * @param reason the reason why no other type has its spellings, if that is so
   */
  ServedKey as(TypeDescriptor type, String reason) {
    Class<?> found = kind(type.getObjectType());
    return new ServedKey(handler, pattern, variable, siblings, type, found, reason);
  }

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

  private static @Nullable Class<?> kind(Class<?> type) {
    if (INTEGERS.contains(type)) {
      return Long.class;
    }
    return type == String.class || type == UUID.class || type.isEnum() ? type : null;
  }

  @Override
  public String toString() {
    return handler
        + " "
        + (kind == null || argument == null ? unknown : "takes it as a " + argument.getName());
  }
}
