package io.bloomguard.aop;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * A key expression, ready to run.
 *
 * @param extractor reads the key
 * @param type the type of its value; {@link ResolvableType#NONE} if only a call shows it
 * @param parameter the index of the parameter that it names as a whole, or -1
 * @param usesResult whether it needs the method's result
 * @param names the expression; of a record as a whole, a list of its components
 * @param doubt why keys that it joins of parts might meet, as a clause; null for no doubt
 */
record CompiledKey(
    KeyExtractor extractor,
    ResolvableType type,
    int parameter,
    boolean usesResult,
    String names,
    @Nullable String doubt) {

  /** The type of a key of parts, whose value is their text. */
  static final ResolvableType OF_PARTS = ResolvableType.forClass(String.class);

  /** Whether it yields the text of a key of parts. */
  @SuppressWarnings("ReferenceEquality") // a marker; text of one part has a type of its own
  boolean isOfParts() {
    return type == OF_PARTS;
  }

  /** Whether it yields several keys. */
  boolean plural() {
    Class<?> raw = type.resolve();
    return raw != null
        && (raw.isArray() || Collection.class.isAssignableFrom(raw) || raw == Iterable.class);
  }

  /** The type of one key. */
  ResolvableType element() {
    if (!plural()) {
      return type;
    }
    return type.isArray() ? type.getComponentType() : type.as(Iterable.class).getGeneric(0);
  }

  @Nullable Object extract(@Nullable Object[] arguments, @Nullable Object result) {
    return extractor.extract(arguments, result);
  }
}
