package io.bloomguard.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlParametersTest {

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
    assertThat(SqlParameters.count(sql)).isEqualTo(count);
  }
}
