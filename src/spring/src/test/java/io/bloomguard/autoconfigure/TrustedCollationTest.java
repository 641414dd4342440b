package io.bloomguard.autoconfigure;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A column of ASCII rows that finds {@code admin} for {@code ádmin}; src/it/collations has MariaDB.
 */
@ExtendWith(OutputCaptureExtension.class)
class TrustedCollationTest {

  private static final Duration TIME = Duration.ofSeconds(20);

  static class Users {

    private final JdbcClient jdbc;

    Users(DataSource dataSource) {
      this.jdbc = JdbcClient.create(dataSource);
    }

    @BloomGuarded(filter = "users", key = "#name")
    public Optional<String> find(String name) {
      return jdbc.sql("select name from account where name = ?")
          .param(name)
          .query(String.class)
          .optional();
    }
  }

  private static ApplicationContextRunner application(String rows) {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
        .withBean(Users.class)
        .withPropertyValues(
            "spring.datasource.generate-unique-name=true",
            "spring.datasource.hikari.maximum-pool-size=1",
            "spring.datasource.url=jdbc:h2:mem:trusted;INIT=set collation english strength"
                + " primary\\;create table account (name varchar(20))\\;insert into account values "
                + rows,
            "bloomguard.filters.users.source.jdbc.query=select name from account",
            "bloomguard.filters.users.source.jdbc.trust-collation=true",
            "bloomguard.filters.users.keys.case=lower",
            "bloomguard.filters.users.warm-up.mode=blocking");
  }

  @Test
  void aRequestBeyondAsciiGoesToTheLoadAndIsNoVerdict(CapturedOutput output) {
    application("('admin')")
        .run(
            context -> {
              Users users = context.getBean(Users.class);
              assertThat(users.find("ádmin")).contains("admin");
              assertThat(users.find("Ádmin")).contains("admin");
              assertThat(users.find("nóbody")).isEmpty();
              assertThat(users.find("root")).isEmpty();
              var guard = context.getBean(BloomGuards.class).guard("users");
              assertThat(guard.check("ádmin")).isEqualTo(Membership.UNKNOWN);
              assertThat(guard.check("root")).isEqualTo(Membership.ABSENT);
              assertThat(guard.reportFound(List.of("ádmin"))).isZero();
              ConfiguredFilter filter = context.getBean(ConfiguredFilters.class).all().get(0);
              assertThat(filter.managed().status().state()).isEqualTo(FilterState.READY);
              assertThat(filter.guarded().verification().spellings()).isZero();
              assertThat(output).doesNotContain("beyond ASCII");
            });
  }

  /** A write of the row drops the entries of {@code admin} alone. */
  @Test
  void nothingIsKeptUnderARequestBeyondAscii() {
    application("('admin')")
        .run(
            context -> {
              var guard = context.getBean(BloomGuards.class).guard("users", Long.class);
              AtomicLong loads = new AtomicLong();
              assertThat(guard.get("ádmin", loads::incrementAndGet)).isEqualTo(1);
              assertThat(guard.get("ádmin", loads::incrementAndGet)).isEqualTo(2);
              Supplier<CompletionStage<Long>> later =
                  () -> CompletableFuture.completedFuture(loads.incrementAndGet());
              assertThat(guard.getAsync("ádmin", later).toCompletableFuture()).succeedsWithin(TIME);
              assertThat(guard.getAsync("ádmin", later).toCompletableFuture())
                  .succeedsWithin(TIME)
                  .isEqualTo(4L);
              for (long loaded : new long[] {5, 6}) {
                assertThat(
                        guard.getAll(
                            List.of("ádmin", "admin"),
                            keys -> {
                              long load = loads.incrementAndGet();
                              return keys.stream().collect(toMap(key -> key, key -> load));
                            }))
                    .isEqualTo(Map.of("ádmin", loaded, "admin", 5L));
              }
              assertThat(guard.get("bób", () -> null)).isNull();
              assertThat(guard.get("bób", () -> 7L)).isEqualTo(7);
            });
  }

  @Test
  void rowsBeyondAsciiAreWarnedOf(CapturedOutput output) {
    application("('jürgen'), ('zoë'), ('admin')")
        .run(
            context ->
                assertThat(output)
                    .contains("trust-collation is true, but 2 keys of the source")
                    .doesNotContain("jürgen"));
  }
}
