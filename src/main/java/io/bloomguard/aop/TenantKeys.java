package io.bloomguard.aop;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/** Keys that carry the tenant: something in them is named so. */
final class TenantKeys {

  private static final String WORD = "tenant";

  private TenantKeys() {}

  /**
   * Whether a key expression names the tenant, or yields records with a component that does.
   *
   * @param type what the expression yields, as far as is known
   */
  static boolean namesTenant(String expression, ResolvableType type) {
    // A quoted part is text, no name.
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
