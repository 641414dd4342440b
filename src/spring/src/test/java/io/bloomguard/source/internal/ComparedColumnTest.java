package io.bloomguard.source.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns of H2, and collations by their name. */
class ComparedColumnTest {

  private static final String PROPERTY = "bloomguard.filters.users";

  private final JdbcDataSource dataSource = new JdbcDataSource();
  private Connection open;

  @BeforeEach
  void create() throws SQLException {
    open("");
  }

  private void open(String options) throws SQLException {
    dataSource.setURL("jdbc:h2:mem:columns" + options);
    open = dataSource.getConnection();
    execute(
        "create table t (id bigint, name varchar(40), ic varchar_ignorecase(40), code char(4),"
            + " ref uuid, state enum('a', 'b'))");
    execute("insert into t values (1, 'Admin', 'Admin', 'ab', random_uuid(), 'a')");
  }

  @AfterEach
  void drop() throws SQLException {
    execute("shutdown");
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = open.createStatement()) {
      statement.execute(sql);
    }
  }

  private List<Object> read(String query, String folding, boolean trusted) {
    ComparedColumn column =
        new ComparedColumn(PROPERTY, "jdbc", KeyFolding.parse(folding), trusted, false);
    List<Object> keys = new ArrayList<>();
    new JdbcKeySource(dataSource, query, 10, null, column, Duration.ofSeconds(60))
        .forEach(sink(keys));
    return keys;
  }

  private static KeySource.KeySink sink(List<Object> keys) {
    return new KeySource.KeySink() {
      @Override
      public void accept(long key) {
        keys.add(key);
      }

      @Override
      public void accept(@Nullable Object key) {
        keys.add(key);
      }
    };
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select id from t",
        "select name from t",
        "select ref from t",
        "select state from t",
        "select cast(id as varchar) from t where id < 0 union select name from t where 1 = 0"
      })
  void whatComparesExactlyNeedsNothing(String query) throws SQLException {
    execute("alter table t drop column ic");
    read(query, "exact.none.none", false);
  }

  @ParameterizedTest
  @CsvSource({
    "select ic from t,exact.none.none,keys.case=lower",
    "select code from t,exact.none.none,keys.trim=trailing",
    "select code from t,lower.none.nfc,keys.trim=trailing",
    "select code from t,lower.none.nfc,collate utf8mb4_nopad_bin",
    // Elsewhere in the same database a column ignores case.
    "select name || 'x' from t,exact.none.none,trust-collation=true",
    "select lower(ic) from t,lower.both.nfkc,trust-collation=true"
  })
  void whatFindsRowsUnderOtherKeysIsRefusedWithTheSettingToAdd(
      String query, String folding, String setting) {
    assertThatThrownBy(() -> read(query, folding, false))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining(PROPERTY + ".")
        .hasMessageContaining(setting)
        .hasMessageNotContaining("Admin");
  }

  @Test
  void theSettingIsEnough() {
    assertThat(read("select ic from t", "lower.none.none", false)).containsExactly("Admin");
    assertThat(read("select ic from t", "upper.none.none", false)).containsExactly("Admin");
    assertThat(read("select code from t", "exact.trailing.none", false)).hasSize(1);
    assertThat(read("select lower(ic) from t", "exact.none.none", true)).containsExactly("admin");
  }

  @Test
  void theOwnersWordCoversDoubtAndNotWhatIsKnown() {
    assertThatThrownBy(() -> read("select ic from t", "exact.none.none", true))
        .hasMessageContaining("keys.case=lower")
        .hasMessageNotContaining("trust-collation");
  }

  @Test
  void aDatabaseMayIgnoreCaseAltogether() throws SQLException {
    drop();
    open(";IGNORECASE=TRUE");
    assertThatThrownBy(() -> read("select name from t", "exact.none.none", false))
        .hasMessageContaining("keys.case=lower");
    assertThat(read("select name from t", "lower.none.none", false)).hasSize(1);
  }

  @Test
  void aDatabaseMayHaveACollation() throws SQLException {
    drop();
    dataSource.setURL("jdbc:h2:mem:columns");
    open = dataSource.getConnection();
    execute("set collation english strength primary");
    execute("create table t (name varchar(40), id int)");
    assertThatThrownBy(() -> read("select name from t", "lower.both.nfkc", false))
        .hasMessageContaining("ENGLISH")
        .hasMessageContaining("trust-collation=true");
    read("select name from t", "lower.both.nfkc", true);
    read("select id from t", "exact.none.none", false);
  }

  /** Its column may be another. */
  @Test
  void theRecentQueryIsLookedAtToo() {
    ComparedColumn column = new ComparedColumn(PROPERTY, "jdbc", KeyFolding.EXACT, false, false);
    JdbcKeySource source =
        new JdbcKeySource(
            dataSource,
            "select name from t",
            10,
            "select ic from t where ? is not null",
            column,
            Duration.ofSeconds(60));
    source.forEach(sink(new ArrayList<>()));
    assertThatThrownBy(() -> source.forEachRecent(Instant.now(), sink(new ArrayList<>())))
        .hasMessageContaining("keys.case=lower");
  }

  /** Every letter that VARCHAR_IGNORECASE holds equal to another. */
  @Test
  void lowerHoldsEqualWhatH2DoesWithoutCase() throws SQLException {
    execute("create table letters (p int, c varchar_ignorecase(2))");
    execute(
        "insert into letters select x, char(x) from system_range(33, 65535)"
            + " where x < 55296 or x > 63743");
    KeyFolding lower = KeyFolding.parse("lower.none.none");
    List<String> apart = new ArrayList<>();
    int classes = 0;
    try (Statement statement = open.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select array_agg(p) from letters group by c having count(*) > 1")) {
      while (rows.next()) {
        classes++;
        Object[] points = (Object[]) rows.getArray(1).getArray();
        String first = lower.widest(Character.toString((Integer) points[0]));
        for (Object point : points) {
          if (!lower.widest(Character.toString((Integer) point)).equals(first)) {
            apart.add(points[0] + "=" + point);
          }
        }
      }
    }
    assertThat(classes).isGreaterThan(900);
    assertThat(apart).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "utf8mb4_bin,false,true,false",
    "utf8mb4_nopad_bin,false,false,false",
    "utf8mb4_0900_bin,false,false,false",
    "latin1_general_cs,false,true,false",
    "ascii_general_ci,true,true,false",
    "ascii_general_nopad_ci,true,false,false",
    "latin1_general_ci,true,true,false",
    "latin1_swedish_ci,true,true,true",
    "utf8mb4_general_ci,true,true,true",
    "utf8mb4_unicode_ci,true,true,true",
    "utf8mb4_0900_ai_ci,true,false,true",
    "utf8mb4_0900_as_ci,true,false,true",
    "utf8mb4_0900_as_cs,false,false,true",
    "utf8mb4_uca1400_nopad_as_cs,false,false,true",
    "'',true,true,true"
  })
  void aCollationOfMySqlIsKnownByItsName(
      String collation, boolean ignoresCase, boolean ignoresSpaces, boolean doubtful) {
    ColumnEquality equality = ColumnEquality.ofMySql(collation, false);
    assertThat(equality.ignoresCase()).isEqualTo(ignoresCase);
    assertThat(equality.ignoresSpaces()).isEqualTo(ignoresSpaces);
    assertThat(equality.doubt() != null).isEqualTo(doubtful);
    assertThat(ColumnEquality.ofMySql(collation, true).ignoresSpaces()).isTrue();
  }
}
