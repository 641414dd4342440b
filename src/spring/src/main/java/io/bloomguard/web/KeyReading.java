package io.bloomguard.web;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.SimpleTypeConverter;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;

/**
 * The conversion of a path variable to the argument that a handler gets, which is the key.
 *
 * @param argument the type of the argument, with its annotations
 * @param conversion the service that converts handler arguments
 */
record KeyReading(TypeDescriptor argument, ConversionService conversion) {

  KeyReading(Class<?> type, ConversionService conversion) {
    this(TypeDescriptor.valueOf(type), conversion);
  }

  /** This reading, of another type; null leaves the type. */
  KeyReading as(@Nullable TypeDescriptor other) {
    return other == null ? this : new KeyReading(other, conversion);
  }

  /** The key; null if the handler gets none. */
  @Nullable Object read(String variable) {
    SimpleTypeConverter converter = new SimpleTypeConverter(); // as Spring's data binder converts
    converter.setConversionService(conversion);
    try {
      return converter.convertIfNecessary(variable, argument.getType(), argument);
    } catch (TypeMismatchException e) {
      return null;
    }
  }
}
