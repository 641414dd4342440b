package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.Outcome;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.function.LongFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/**
 * The classic blacklists with generated keys: ten million senders of mail, a million URLs, a
 * million revoked tokens. A thousandth of them unless {@code -Dbloomguard.test.full=true}. Prints
 * the figures of docs/blacklists.md.
 */
class BlacklistExamplesTest {

  private static final int SHARE = Boolean.getBoolean("bloomguard.test.full") ? 1 : 1_000;
  private static final double PROBABILITY = 0.01;

  /**
   * A list and the keys beside it.
   *
   * @param name the filter's
   * @param listed how many keys are on the list
   * @param key makes key i; those from {@code listed} on are innocent
   */
  private record Example(String name, int listed, LongFunction<String> key) {

    String filter() {
      return "bloomguard.filters." + name + ".";
    }

    void forEach(KeySource.KeySink sink) {
      for (int i = 0; i < listed; i++) {
        sink.accept(key.apply(i));
      }
    }
  }

  private static final Example SENDERS =
      new Example("senders", 10_000_000 / SHARE, i -> "sender" + mixed(i) + "@mail.example");

  private static final Example URLS =
      new Example(
          "urls", 1_000_000 / SHARE, i -> "https://www.example.org/" + mixed(i) + "/index?q=" + i);

  private static final Example TOKENS =
      new Example("tokens", 1_000_000 / SHARE, i -> new UUID(mixed(i), mixed(~i)).toString());

  /** A bijection, so that no two keys are one: the finaliser of SplitMix64. */
  private static long mixed(long i) {
    long z = (i ^ (i >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  private static ApplicationContextRunner application(Example example) {
    return Wiring.application()
        .withBean("list", KeySource.class, () -> example::forEach)
        .withPropertyValues(
            example.filter() + "reject=present",
            example.filter() + "on-unknown=closed",
            example.filter() + "expected-insertions=" + example.listed,
            example.filter() + "false-positive-probability=" + PROBABILITY,
            example.filter() + "source.bean=list",
            example.filter() + "warm-up.mode=blocking");
  }

  @Test
  void everyListedSenderIsRejectedAndFewInnocentOnesAre() {
    run(SENDERS);
  }

  @Test
  void everyListedUrlIsRejectedAndFewInnocentOnesAre() {
    run(URLS);
  }

  private static void run(Example example) {
    application(example)
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard(example.name);
              int asked = Math.min(example.listed, 100_000);
              int innocent = 0;
              long start = System.nanoTime();
              for (int i = 0; i < asked; i++) {
                assertThat(guard.admit(example.key.apply(i))).isFalse();
                assertThat(guard.check(example.key.apply(i)))
                    .isEqualTo(Membership.POSSIBLY_PRESENT);
                innocent += guard.admit(example.key.apply(example.listed + i)) ? 0 : 1;
              }
              print(context, example, 3 * asked, start, innocent, asked);
              assertThat(innocent).as("innocent keys rejected").isBetween(1, asked / 50);
            });
  }

  @Test
  void noInnocentTokenIsRejectedWhereTheTableIsAsked() {
    application(TOKENS)
        .withBean(DataSource.class, BlacklistExamplesTest::database)
        .withPropertyValues(
            TOKENS.filter() + "confirm.jdbc.query=select 1 from revoked where token = ?",
            TOKENS.filter() + "confirm.jdbc.timeout=60s")
        .run(
            context -> {
              JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
              int asked = Math.min(TOKENS.listed, 100_000);
              for (int i = 0; i < asked; i++) {
                jdbc.update("insert into revoked values (?)", UUID.fromString(TOKENS.key.apply(i)));
              }
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard(TOKENS.name);
              long start = System.nanoTime();
              for (int i = 0; i < asked; i++) {
                assertThat(guard.admit(TOKENS.key.apply(i))).isFalse();
                assertThat(guard.admit(TOKENS.key.apply(TOKENS.listed + i))).isTrue();
              }
              print(context, TOKENS, 2 * asked, start, 0, asked);
              var counters =
                  context.getBean(ConfiguredFilters.class).all().get(0).guarded().counters();
              assertThat(counters.count(Outcome.REJECTED)).isEqualTo(asked);
              assertThat(counters.count(Outcome.FALSE_POSITIVE))
                  .as("queries for innocent keys")
                  .isBetween(1L, asked / 50L);
              assertThat(counters.count(Outcome.BYPASSED)).isZero();
              System.out.println(
                  "tokens: "
                      + counters.count(Outcome.FALSE_POSITIVE)
                      + " queries for innocent ones");
            });
  }

  /**
   * @param questions how many there were since {@code start}, of innocent keys and of others
   * @param rejected how many of the {@code innocent} were
   */
  private static void print(
      ApplicationContext context,
      Example example,
      int questions,
      long start,
      int rejected,
      int innocent) {
    double micros = (System.nanoTime() - start) / 1e3 / questions;
    ManagedFilter filter = context.getBean(ConfiguredFilters.class).all().get(0).managed();
    System.out.printf(
        Locale.ROOT,
        "%s: %,d keys, %,d bytes, built in %s; %d of %,d innocent ones rejected; %.1f µs a question%n",
        example.name,
        example.listed,
        filter.status().shape().sizeBytes(),
        Objects.requireNonNull(filter.rebuilds().last()).duration(),
        rejected,
        innocent,
        micros);
  }

  private static DataSource database() {
    DataSource database =
        new EmbeddedDatabaseBuilder()
            .setType(EmbeddedDatabaseType.H2)
            .generateUniqueName(true)
            .build();
    new JdbcTemplate(database).execute("create table revoked (token uuid primary key)");
    return database;
  }
}
