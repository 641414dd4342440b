package io.bloomguard.bench;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.BloomGuardFilter;
import io.bloomguard.web.KeyType;
import io.bloomguard.web.WebRule;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.web.util.pattern.PathPatternParser;

/** The starter's servlet filter over a million keys, with one rule for each type of key. */
public final class RejectingFilter implements AutoCloseable {

  /** What the rule's handler converts the key to. */
  public enum Type {
    TEXT,
    NUMBER;

    private String path() {
      return "/api/" + name().toLowerCase(Locale.ROOT) + "/";
    }
  }

  private static final int KEYS = BenchForm.size(1_000_000, 10_000);

  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();
  private final EntryGuards guards;
  private final BloomGuardFilter filter;

  RejectingFilter() {
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("benchmark", properties()));
    context.register(GuardedCallServices.Starter.class);
    context.refresh();
    guards = context.getBean(EntryGuards.class);
    filter =
        new BloomGuardFilter(
            List.of(
                new WebRule(Type.TEXT.path() + "{id}", "products", "id", KeyType.STRING),
                new WebRule(Type.NUMBER.path() + "{id}", "products", "id", KeyType.LONG)),
            guards,
            new PathPatternParser(),
            new DefaultFormattingConversionService());
  }

  /** The starter's settings for a filter that a bean named {@code keys} fills. */
  static Map<String, Object> properties() {
    return Map.of(
        "bloomguard.filters.products.expected-insertions",
        KEYS,
        "bloomguard.filters.products.source.bean",
        "keys",
        "bloomguard.filters.products.warm-up.mode",
        "blocking",
        // What the callers find is no row: a rejection that was verified would be wrong.
        "bloomguard.filters.products.verify.first",
        0,
        "bloomguard.filters.products.verify.sample",
        0,
        "benchmark.keys",
        KEYS);
  }

  BloomGuardFilter filter() {
    return filter;
  }

  /** Paths with keys that the filter rejects: false positives are left out. */
  String[] rejectedPaths(Type type, int count) {
    BloomGuard<Object> guard = guards.guard("products");
    String[] paths = new String[count];
    for (long i = 0, found = 0; found < count; i++) {
      long id = BenchKeys.id(BenchKeys.absent(i));
      if (guard.check(id) == Membership.ABSENT) {
        paths[(int) found++] = type.path() + id;
      }
    }
    return paths;
  }

  @Override
  public void close() {
    context.close();
  }
}
