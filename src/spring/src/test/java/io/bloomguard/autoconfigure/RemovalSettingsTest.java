package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.filter.Layout;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with filters of the layout counting. */
class RemovalSettingsTest {

  private static final String CODES = "bloomguard.filters.codes.";

  private final ApplicationContextRunner application =
      Wiring.application()
          .withPropertyValues(CODES + "layout=counting", CODES + "expected-insertions=1000");

  @Test
  void whatIsEvictedIsRemoved() {
    application
        .withPropertyValues(CODES + "source.added-only=true")
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("codes");
              guard.put("a");
              guard.put("b");
              guard.evict("a");
              assertThat(guard.checkAll(List.of("a", "b")))
                  .containsExactly(Membership.ABSENT, Membership.POSSIBLY_PRESENT);
              ConfiguredFilter filter = context.getBean(ConfiguredFilters.class).all().get(0);
              assertThat(filter.managed().status().shape().layout()).isEqualTo(Layout.COUNTING);
              assertThat(filter.managed().status().shape().blockWords()).isEqualTo(8);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "replica.enabled=true, replica.enabled",
    "source.jdbc.query=select distinct id from t, merges rows",
    "source.jdbc.query=select id from a UNION select id from b, merges rows",
    "source.jdbc.query=select id from a group  by id, merges rows"
  })
  void whatWouldRemoveTooMuchIsRefused(String setting, String message) {
    application
        .withPropertyValues(CODES + setting)
        .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
  }

  @Test
  void recentReadingsOfABeanAreRefused() {
    application
        .withBean("ours", KeySource.class, RecentKeys::new)
        .withPropertyValues(CODES + "source.bean=ours")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("codes.source.bean knows recent keys"));
    Wiring.application()
        .withBean("ours", KeySource.class, RecentKeys::new)
        .withPropertyValues(CODES + "source.bean=ours")
        .run(context -> assertThat(context).hasNotFailed());
  }

  private static final class RecentKeys implements KeySource {
    @Override
    public void forEach(KeySink sink) {
      sink.accept("a");
    }

    @Override
    public boolean knowsRecent() {
      return true;
    }

    @Override
    public void forEachRecent(Instant since, KeySink sink) {}
  }

  @Test
  void recentReadingsAreRefused() {
    application
        .withPropertyValues(
            CODES + "source.jdbc.query=select id from a union all select id from b",
            CODES + "source.jdbc.recent-query=select id from a where t > ?")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("recent-query is set"));
  }
}
