package io.bloomguard.it.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.KeySource.KeySink;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.source.internal.ComparedColumn;
import io.bloomguard.source.internal.R2dbcKeySource;
import io.r2dbc.spi.ConnectionFactories;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TextKeysTest {

  @BeforeAll
  static void tables() {
    Postgres.execute(
        "create extension if not exists citext",
        "create collation if not exists loose"
            + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "drop table if exists texts",
        "drop domain if exists login",
        "create domain login as citext",
        "create table texts (plain varchar(20), padded char(20), loose text collate loose,"
            + " folded citext, ref uuid, amount numeric(20, 0), login login)",
        "insert into texts values ('Ann', 'Ann', 'Ann', 'Ann',"
            + " '0b7c3c52-6a58-4d6b-9a0f-6a6f2b3b1c2d', 12345678901234567890, 'Ann')");
  }

  @Test
  void aColumnThatComparesByteByByteIsRead() {
    assertThat(keys("select plain, ref from texts", "exact.none.none", false))
        .containsExactly("Ann");
    assertThat(keys("select ref from texts", "exact.none.none", false))
        .containsExactly(UUID.fromString("0b7c3c52-6a58-4d6b-9a0f-6a6f2b3b1c2d"));
    assertThat(keys("select amount from texts", "exact.none.none", false))
        .hasToString("[12345678901234567890]");
  }

  @Test
  void anotherComparisonNeedsItsSettings() {
    refuses("select padded from texts", "exact.none.none", "keys.trim=trailing");
    assertThat(keys("select padded from texts", "exact.trailing.none", false)).hasSize(1);
    refuses("select loose from texts", "exact.none.none", "source.r2dbc.trust-collation=true");
    refuses("select folded from texts", "exact.none.none", "keys.case=lower");
    refuses("select login from texts", "exact.none.none", "keys.case=lower");
  }

  @Test
  void eachPartOfAKeyIsCompared() {
    for (String columns : List.of("folded, ref", "ref, folded", "ref, plain, login")) {
      R2dbcKeySource source =
          source("select " + columns + " from texts", "exact.none.none", false, true);
      assertThatThrownBy(() -> source.forEach(sink(new ArrayList<>())))
          .hasMessageContaining("keys.case=lower");
    }
    List<Object> keys = new ArrayList<>();
    source("select plain, amount from texts", "exact.none.none", false, true).forEach(sink(keys));
    assertThat(keys).hasToString("[[Ann, 12345678901234567890]]");
  }

  @Test
  void aLargeTableIsFetchedInParts() {
    assertThat(keys("select x from generate_series(1, 200000::bigint) x", "exact.none.none", false))
        .hasSize(200_000);
  }

  private static void refuses(String query, String folding, String advice) {
    assertThatThrownBy(() -> keys(query, folding, false))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining(advice);
  }

  private static List<Object> keys(String query, String folding, boolean trusted) {
    List<Object> keys = new ArrayList<>();
    source(query, folding, trusted, false).forEach(sink(keys));
    return keys;
  }

  private static R2dbcKeySource source(
      String query, String folding, boolean trusted, boolean parts) {
    return new R2dbcKeySource(
        ConnectionFactories.get(Postgres.url()),
        query,
        1000,
        new ComparedColumn(
            "bloomguard.filters.users", "r2dbc", KeyFolding.parse(folding), trusted, parts));
  }

  private static KeySink sink(List<Object> keys) {
    return new KeySink() {
      @Override
      public void accept(Object key) {
        keys.add(key);
      }

      @Override
      public void accept(long key) {
        keys.add(key);
      }
    };
  }
}
