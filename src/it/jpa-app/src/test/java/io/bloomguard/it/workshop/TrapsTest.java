package io.bloomguard.it.workshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.generation.FilterState;
import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.data.MechanicRepository;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.SupplierRepository;
import io.bloomguard.it.workshop.model.Supplier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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

  private static final String DATABASE = "--spring.datasource.url=jdbc:h2:mem:traps";

  private static ConfigurableApplicationContext other;
  private static ConfigurableApplicationContext verifying;
  private static ConfigurableApplicationContext trusting;

  /** A mistake, in a filter of its own. */
  enum Trap {
    WRONG_COLUMN(
        "mechanics", 3L, (app, key) -> app.getBean(MechanicRepository.class).findById((Long) key)),
    EMPTY_TABLE(
        "customers", 1L, (app, key) -> app.getBean(CustomerRepository.class).findById((Long) key)),
    UNANNOTATED_WRITE(
        "parts",
        "BY-HAND",
        (app, key) -> app.getBean(PartRepository.class).findById(key.toString())),
    OTHER_PROCESS(
        "suppliers",
        "Elsewhere",
        (app, key) -> app.getBean(SupplierRepository.class).findByName(key.toString()));

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
  static void setTraps() {
    other = start();
    List<String> mistakes =
        List.of(
            "--spring.jpa.hibernate.ddl-auto=none",
            "--spring.sql.init.mode=never",
            "--bloomguard.filters.mechanics.source.jdbc.query=select version from person",
            "--bloomguard.filters.customers.source.jdbc.query=select id from customer where 1 = 0",
            "--bloomguard.filters.customers.warm-up.min-keys=0");
    verifying = start(mistakes.toArray(String[]::new));
    List<String> trust = new ArrayList<>(mistakes);
    for (Trap trap : Trap.values()) {
      trust.add("--bloomguard.filters." + trap.filter + ".verify.first=0");
      trust.add("--bloomguard.filters." + trap.filter + ".verify.sample=0");
    }
    trusting = start(trust.toArray(String[]::new));
    for (ConfigurableApplicationContext app : List.of(verifying, trusting)) {
      for (Trap trap : Trap.values()) {
        await().until(() -> trap.state(app) == FilterState.READY);
      }
    }
    other.getBean(SupplierRepository.class).save(new Supplier("Elsewhere"));
    other
        .getBean(JdbcTemplate.class)
        .update("insert into part (number, label, cents) values ('BY-HAND', 'bell', 1)");
  }

  @AfterAll
  static void stop() {
    Stream.of(trusting, verifying, other).forEach(ConfigurableApplicationContext::close);
  }

  @ParameterizedTest
  @EnumSource
  void aMistakeIsFoundByVerifying(Trap trap) {
    askForAbsentKeys(trap, verifying);
    assertThat(trap.find(verifying, trap.row)).as("it is answered").isPresent();
    assertThat(trap.state(verifying)).isEqualTo(FilterState.DISARMED);
    assertThat(trap.find(verifying, trap.row)).as("again").isPresent();
    assertThat(trap.find(verifying, trap.absent(0))).isEmpty();
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

  private static ConfigurableApplicationContext start(String... arguments) {
    List<String> all =
        new ArrayList<>(List.of(DATABASE, "--spring.main.web-application-type=none"));
    all.addAll(List.of(arguments));
    return new SpringApplicationBuilder(WorkshopApplication.class).run(all.toArray(String[]::new));
  }
}
