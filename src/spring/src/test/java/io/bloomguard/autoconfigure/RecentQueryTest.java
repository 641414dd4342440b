package io.bloomguard.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Applications whose rows are inserted by other programs. */
class RecentQueryTest {

  private static final String PRODUCTS = "bloomguard.filters.products.";
  private static final String JDBC = PRODUCTS + "source.jdbc.";

  @Test
  void rowsThatNobodyAnnouncesEnterByTheRecentQuery() {
    Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
        .withPropertyValues(
            "spring.datasource.url=jdbc:h2:mem:recent;DB_CLOSE_DELAY=-1;INIT=create table if not"
                + " exists product (id bigint, changed timestamp default current_timestamp)",
            JDBC + "query=select id from product",
            JDBC + "recent-query=select id from product where changed >= ?",
            PRODUCTS + "source.recent-interval=100ms",
            PRODUCTS + "expected-insertions=1000",
            PRODUCTS + "warm-up.mode=blocking",
            PRODUCTS + "warm-up.min-keys=0")
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("products");
              assertThat(guard.check(42L)).isEqualTo(ABSENT);

              new JdbcTemplate(context.getBean(DataSource.class))
                  .update("insert into product (id) values (42)");

              await().until(() -> guard.check(42L) == POSSIBLY_PRESENT);
              assertThat(guard.check(43L)).isEqualTo(ABSENT);
            });
  }

  /** In real time: an application looks after its filters once a second. */
  @Tag("waits")
  @Test
  void aBeanMayTellOfRecentKeysToo() {
    Keys keys = new Keys();
    Instant before = Instant.now();
    Wiring.application()
        .withBean("keys", KeySource.class, () -> keys)
        .withPropertyValues(
            PRODUCTS + "source.bean=keys",
            PRODUCTS + "source.recent-interval=100ms",
            PRODUCTS + "expected-insertions=1000",
            PRODUCTS + "warm-up.min-keys=0",
            PRODUCTS + "rebuild.journal-retention=7m")
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("products");
              await().until(() -> guard.check(42L) == POSSIBLY_PRESENT);
              assertThat(guard.check(43L)).isEqualTo(ABSENT);
              await().until(() -> keys.asked.size() > 1);
            });
    assertThat(keys.asked.get(0))
        .isBetween(before.minus(Duration.ofMinutes(7)), Instant.now().minus(Duration.ofMinutes(7)));
  }

  @Test
  void anIntervalForABeanWithoutRecentKeysIsRefused() {
    Wiring.application()
        .withBean("keys", KeySource.class, () -> sink -> sink.accept(1L))
        .withPropertyValues(
            PRODUCTS + "source.bean=keys", PRODUCTS + "source.recent-interval=100ms")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining(
                        "products.source.recent-interval is set, but the bean knows no recent"));
  }

  /** Has no key but a recent one. */
  private static final class Keys implements KeySource {

    private final List<Instant> asked = new CopyOnWriteArrayList<>();

    @Override
    public void forEach(KeySink sink) {}

    @Override
    public boolean knowsRecent() {
      return true;
    }

    @Override
    public void forEachRecent(Instant since, KeySink sink) {
      asked.add(since);
      sink.accept(42L);
    }
  }
}
