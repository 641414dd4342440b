package io.bloomguard.web;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.SimpleTypeConverter;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.support.GenericConversionService;

/** The conversion of a path variable to the argument that a handler gets, which is the key. */
final class KeyReading {

  private static final TypeDescriptor TEXT = TypeDescriptor.valueOf(String.class);

  private final TypeDescriptor argument;
  private final ConversionService conversion;
  private final boolean verbatim;

  /**
   * @param argument the type of the argument, with its annotations
   * @param conversion the service that converts handler arguments
   */
  KeyReading(TypeDescriptor argument, ConversionService conversion) {
    this.argument = argument;
    this.conversion = conversion;
    this.verbatim =
        argument.getType() == String.class
            && conversion instanceof GenericConversionService service
            && service.canBypassConvert(TEXT, argument);
  }

  /** The key; null if the handler gets none. */
  @Nullable Object read(String variable) {
    if (verbatim) {
      return variable;
    }
    try {
      return conversion.convert(variable, TEXT, argument);
    } catch (ConversionException e) {
      return readWithEditor(variable);
    }
  }

  /** As Spring's data binder, which asks a default editor where a converter has failed. */
  private @Nullable Object readWithEditor(String variable) {
    try {
      return new SimpleTypeConverter().convertIfNecessary(variable, argument.getType());
    } catch (TypeMismatchException e) {
      return null;
    }
  }
}
