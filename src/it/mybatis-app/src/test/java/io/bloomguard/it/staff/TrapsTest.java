package io.bloomguard.it.staff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.generation.FilterState;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Mistakes that only the owner of an application can make, made on purpose: with {@code verify} as
 * it is by default, a filter that rejects a row is found out within its first hundred rejections;
 * without, it denies the row.
 */
class TrapsTest {

  /** Rejections before a row is asked for. */
  private static final int ABSENT_FIRST = 99;

  private static ConfigurableApplicationContext verifying;
  private static ConfigurableApplicationContext trusting;

  /** A mistake, in a filter of its own. */
  enum Trap {
    /** The column takes both for one, and the filter does not. */
    COLLATION(
        "user-names",
        "ADMIN",
        (app, key) ->
            Optional.ofNullable(app.getBean(AccountMapper.class).findByUserName(key.toString()))),
    WRONG_COLUMN(
        "departments",
        "IT",
        (app, key) -> app.getBean(DepartmentMapper.class).findByCode(key.toString())),
    EMPTY_TABLE(
        "notices",
        1L,
        (app, key) -> Optional.ofNullable(app.getBean(NoticeMapper.class).findById((Long) key))),
    UNANNOTATED_WRITE(
        "accounts",
        700L,
        (app, key) -> Optional.ofNullable(app.getBean(AccountMapper.class).findById((Long) key)));

    private final String filter;
    private final Object row;
    private final BiFunction<ConfigurableApplicationContext, Object, Optional<?>> lookup;

    Trap(
        String filter,
        Object row,
        BiFunction<ConfigurableApplicationContext, Object, Optional<?>> lookup) {
      this.filter = filter;
      this.row = row;
      this.lookup = lookup;
    }

    Optional<?> find(ConfigurableApplicationContext app, Object key) {
      return lookup.apply(app, key);
    }

    /** A key that no row has. */
    Object absent(int number) {
      return row instanceof Long ? (Object) (1_000_000L + number) : "none-" + number;
    }

    FilterState state(ConfigurableApplicationContext app) {
      return (FilterState) app.getBean(BloomFiltersEndpoint.class).filter(filter).get("state");
    }
  }

  @BeforeAll
  static void setTraps() throws SQLException {
    String database = RealMariaDb.newUrl();
    try (Connection connection = DriverManager.getConnection(database, "root", "");
        Statement statement = connection.createStatement()) {
      // A copy of the names that compares otherwise: the column itself would be refused as a
      // source.
      statement.execute(
          "create table exact_name"
              + " (name varchar(50) character set utf8mb4 collate utf8mb4_nopad_bin)");
      statement.execute("insert into exact_name values ('admin'), ('Berta')");
    }
    List<String> mistakes =
        List.of(
            "--spring.datasource.url=" + database,
            "--bloomguard.filters.user-names.keys.case=exact",
            "--bloomguard.filters.user-names.source.jdbc.query=select name from exact_name",
            "--bloomguard.filters.departments.source.jdbc.query=select title from department",
            "--bloomguard.filters.notices.source.jdbc.query=select id from notice where 1 = 0",
            "--bloomguard.filters.notices.warm-up.min-keys=0");
    verifying = start(mistakes);
    List<String> trust = new ArrayList<>(mistakes);
    for (Trap trap : Trap.values()) {
      trust.add("--bloomguard.filters." + trap.filter + ".verify.first=0");
      trust.add("--bloomguard.filters." + trap.filter + ".verify.sample=0");
    }
    trusting = start(trust);
    for (ConfigurableApplicationContext app : List.of(verifying, trusting)) {
      for (Trap trap : Trap.values()) {
        await().until(() -> trap.state(app) == FilterState.READY);
      }
    }
    verifying
        .getBean(JdbcTemplate.class)
        .update("insert into account (id, user_name) values (700, 'by hand')");
  }

  @AfterAll
  static void stop() {
    Stream.of(trusting, verifying).forEach(ConfigurableApplicationContext::close);
  }

  @ParameterizedTest
  @EnumSource(names = "COLLATION", mode = EnumSource.Mode.EXCLUDE)
  void aMistakeIsFoundByVerifying(Trap trap) {
    askForAbsentKeys(trap, verifying);
    assertThat(trap.find(verifying, trap.row)).as("it is answered").isPresent();
    assertThat(trap.state(verifying)).isEqualTo(FilterState.DISARMED);
    assertThat(trap.find(verifying, trap.row)).as("again").isPresent();
    assertThat(trap.find(verifying, trap.absent(0))).isEmpty();
  }

  /** Callers choose the spelling, so it disarms nothing; the counter and the log show it. */
  @Test
  void aSpellingThatTheColumnTakesForARowIsCounted() {
    askForAbsentKeys(Trap.COLLATION, verifying);
    assertThat(Trap.COLLATION.find(verifying, Trap.COLLATION.row)).isPresent();
    Map<String, Object> filter =
        verifying.getBean(BloomFiltersEndpoint.class).filter(Trap.COLLATION.filter);
    assertThat(filter).containsEntry("state", FilterState.READY);
    Map<?, ?> verified = (Map<?, ?>) filter.get("verified");
    assertThat(verified.get("spelling")).isEqualTo(1L);
    assertThat(verified.get("wrong")).isEqualTo(0L);
  }

  @ParameterizedTest
  @EnumSource
  void aMistakeDeniesRowsWithoutVerifying(Trap trap) {
    askForAbsentKeys(trap, trusting);
    assertThat(trap.find(trusting, trap.row)).as("it is denied").isEmpty();
    assertThat(trap.state(trusting)).isEqualTo(FilterState.READY);
  }

  private static void askForAbsentKeys(Trap trap, ConfigurableApplicationContext app) {
    for (int i = 0; i < ABSENT_FIRST; i++) {
      assertThat(trap.find(app, trap.absent(i))).isEmpty();
    }
    assertThat(trap.state(app)).isEqualTo(FilterState.READY);
  }

  private static ConfigurableApplicationContext start(List<String> arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--spring.main.web-application-type=none", "--spring.datasource.username=root"));
    all.addAll(arguments);
    return new SpringApplicationBuilder(StaffApplication.class).run(all.toArray(String[]::new));
  }
}
