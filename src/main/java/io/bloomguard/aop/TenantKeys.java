package io.bloomguard.aop;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/** The check for keys that carry the tenant: a name in them contains it. */
final class TenantKeys {

  private static final String WORD = "tenant";

  private TenantKeys() {}

  /**
   * Whether a key expression names the tenant, or yields records with a component that does.
   *
   * @param type the type of the expression's value, as far as it is known
   */
  static boolean namesTenant(String expression, ResolvableType type) {
    // A quoted part is text, not a name.
    String names = expression.replaceAll("'[^']*'|\"[^\"]*\"", "");
    return Stream.concat(Stream.of(names), components(type))
        .anyMatch(name -> name.toLowerCase(Locale.ROOT).contains(WORD));
  }

  private static Stream<String> components(ResolvableType type) {
    Class<?> raw = type.resolve(Object.class);
    return raw.isRecord()
        ? Arrays.stream(raw.getRecordComponents()).map(RecordComponent::getName)
        : Stream.empty();
  }
}
