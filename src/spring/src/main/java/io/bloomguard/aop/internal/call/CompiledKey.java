package io.bloomguard.aop.internal.call;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.BloomGuard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * A key expression, ready to run.
 *
 * @param extractor reads the key
 * @param type the type of its value; {@link ResolvableType#NONE} if only a call shows it
 * @param whole whether it names a parameter, or the result, as a whole
 * @param parameters the indexes of the parameters that it names; {@link #RESULT} for the result
 * @param names the expression; of a record as a whole, a list of its components
 */
public record CompiledKey(
    KeyExtractor extractor,
    ResolvableType type,
    boolean whole,
    Set<Integer> parameters,
    String names) {

  /** The method's result, among its parameters. */
  public static final int RESULT = -1;

  /** The type of a key of parts, whose value is their text. */
  public static final ResolvableType OF_PARTS = ResolvableType.forClass(String.class);

  /** The index of the parameter that it names as a whole, or -1. */
  public int parameter() {
    return whole ? parameters.iterator().next() : -1;
  }

  /** Whether it needs the method's result. */
  public boolean usesResult() {
    return parameters.contains(RESULT);
  }

  /** Whether it yields the text of a key of parts. */
  @SuppressWarnings("ReferenceEquality") // a marker; text of one part has a type of its own
  public boolean isOfParts() {
    return type == OF_PARTS;
  }

  /** Whether it yields several keys. */
  public boolean plural() {
    Class<?> raw = type.resolve();
    return raw != null
        && (raw.isArray() || Collection.class.isAssignableFrom(raw) || raw == Iterable.class);
  }

  /** The type of one key. */
  public ResolvableType element() {
    if (!plural()) {
      return type;
    }
    return type.isArray() ? type.getComponentType() : type.as(Iterable.class).getGeneric(0);
  }

  /**
   * The form of this key for a lookup by one key. A list in a parameter of any type would be taken
   * for the parts of one, but only the expression says that a key has parts.
   */
  public CompiledKey single() {
    Class<?> raw = type.resolve(Object.class);
    if (plural() || !raw.isAssignableFrom(ArrayList.class)) {
      return this;
    }
    return read(
        (arguments, result) -> {
          Object key = extractor.extract(arguments, result);
          if (key instanceof List) {
            throw new InvalidKeyException(
                "A key must be one value; this one is a " + key.getClass().getName());
          }
          return key;
        });
  }

  /** This key, read in another way. */
  public CompiledKey read(KeyExtractor other) {
    return new CompiledKey(other, type, whole, parameters, names);
  }

  /**
   * The key of a call of a guarded method.
   *
   * @throws InvalidKeyException naming the method, if the key is null or cannot be read; the guard
   *     has counted it
   */
  @SuppressWarnings("NullAway") // the guard refuses a null key; one that is turned off takes it
  Object of(BloomGuard<?> guard, MethodInvocation invocation) {
    InvalidKeyException refusal;
    try {
      Object id = extractor.extract(invocation.getArguments(), null);
      if (id != null) {
        return id;
      }
      refusal =
          new InvalidKeyException(
              AnnotatedMethod.name(invocation.getMethod()) + ": the key \"" + names + "\" is null");
    } catch (InvalidKeyException e) {
      refusal = e;
    }
    try {
      guard.admit(null);
    } catch (InvalidKeyException counted) {
      throw refusal;
    }
    return null;
  }

  public @Nullable Object extract(@Nullable Object[] arguments, @Nullable Object result) {
    return extractor.extract(arguments, result);
  }
}
