package io.bloomguard.source.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlQueryTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "select id from p where t >= ?|1",
        "select id from p|0",
        "select id from p where t >= ? and u < ?|2",
        "select id from p where n = 'why?' and t >= ?|1",
        "select id from p where n = 'it''s ?' and t >= ?|1",
        "select \"id?\" from p where t >= ?|1",
        "select \"a\"\"?\" from p|0",
        "select `id?` from p where t >= ?|1",
        "select id -- really?|0",
        "select id /* why? */ from p where t >= ? /* ? */|1",
        "select id from p where j ?? 'a' and t >= ?|1",
        "select 4 / 2 - -1 from p where t >= ?|1",
        "select id from p where n = 'open ?|1"
      })
  void questionMarksAreParametersWhereTheyStandAlone(String sql, int count) {
    assertThat(new SqlQuery(sql).parameters()).isEqualTo(count);
  }

  @ParameterizedTest
  @CsvSource({
    "select DISTINCT id from p, true",
    "select id from p group  by id, true",
    "select id from p union select id from q, true",
    "select id from p union all select id from q, false",
    "select distinction from p, false"
  })
  void rowsAreMergedByAFewWords(String sql, boolean merges) {
    assertThat(new SqlQuery(sql).mergesRows()).isEqualTo(merges);
  }

  @ParameterizedTest
  @CsvSource({
    "' select COUNT(*) from revoked where id = ?', true",
    "select exists (select 1 from revoked where id = ?), true",
    "select counted from revoked where id = ?, false",
    "select 1 from revoked where id = ?, false"
  })
  void anAggregateHasARowForEveryKey(String sql, boolean aggregate) {
    assertThat(new SqlQuery(sql).isAggregate()).isEqualTo(aggregate);
  }
}
