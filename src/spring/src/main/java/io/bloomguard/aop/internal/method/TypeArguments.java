package io.bloomguard.aop.internal.method;

import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/** The classes that a type is made of. */
public final class TypeArguments {

  private TypeArguments() {}

  /**
   * The class of a type, and those of its elements and type arguments.
   *
   * @param depth the depth of the search; a type may have itself among its arguments
   */
  public static Stream<Class<?>> within(ResolvableType type, int depth) {
    Stream<ResolvableType> parts =
        Stream.concat(
            type.isArray() ? Stream.of(type.getComponentType()) : Stream.empty(),
            Stream.of(type.getGenerics()));
    return Stream.concat(
        Stream.ofNullable(type.resolve()),
        depth == 0 ? Stream.empty() : parts.flatMap(part -> within(part, depth - 1)));
  }
}
