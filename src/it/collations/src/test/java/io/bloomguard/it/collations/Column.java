package io.bloomguard.it.collations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.source.internal.ComparedColumn;
import io.bloomguard.source.internal.JdbcKeySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * A row of the table in docs/keys.md.
 *
 * @param database as the page names it
 * @param name the column's type or collation, as the page names it
 * @param definition of a column of {@code create table}
 * @param keys what the page says of {@code keys}, such as {@code lower.trailing.none}; null where
 *     it says that the build fails whatever they are
 * @param last the last code point that the column's character set has
 */
record Column(String database, String name, String definition, String keys, int last) {

  static final int ALL = 0x1ffff;

  private static final List<String> FOLDINGS =
      List.of(
          "exact.none.none",
          "lower.none.none",
          "exact.trailing.none",
          "lower.trailing.none",
          "upper.both.nfkc");

  /** What the row says is what the build does, and is enough for every letter there is. */
  void holds(DataSource dataSource) throws SQLException, IOException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("drop table if exists texts");
      statement.execute("create table texts (p int, c " + definition + ")");
      fill(connection);
    }
    assertThat(Files.readString(Path.of(System.getProperty("it.page")))).contains(row());
    if (keys == null) {
      for (String folding : FOLDINGS) {
        assertThatThrownBy(() -> read(dataSource, folding, false))
            .as(name + " under " + folding)
            .isInstanceOf(KeySourceException.class)
            .hasMessageContaining("trust-collation=true");
      }
      return;
    }
    KeyFolding wanted = KeyFolding.parse(keys);
    for (String folding : FOLDINGS) {
      KeyFolding given = KeyFolding.parse(folding);
      boolean enough =
          (wanted.letterCase() == KeyFolding.LetterCase.EXACT
                  || given.letterCase() != KeyFolding.LetterCase.EXACT)
              && (wanted.trim() == KeyFolding.Trim.NONE || given.trim() != KeyFolding.Trim.NONE);
      if (enough) {
        assertThatCode(() -> read(dataSource, folding, false))
            .as(name + " under " + folding)
            .doesNotThrowAnyException();
      } else {
        assertThatThrownBy(() -> read(dataSource, folding, false))
            .as(name + " under " + folding)
            .isInstanceOf(KeySourceException.class)
            .hasMessageContaining("bloomguard.filters.users.keys.");
      }
    }
    assertThat(apart(dataSource, wanted)).as(name).isEmpty();
  }

  String row() {
    return "| " + database + " | " + name + " | " + (keys == null ? "fails" : said()) + " |";
  }

  private String said() {
    KeyFolding folding = KeyFolding.parse(keys);
    List<String> settings = new ArrayList<>();
    if (folding.letterCase() != KeyFolding.LetterCase.EXACT) {
      settings.add("`case: lower`");
    }
    if (folding.trim() != KeyFolding.Trim.NONE) {
      settings.add("`trim: trailing`");
    }
    return settings.isEmpty() ? "nothing" : String.join(", ", settings);
  }

  static void read(DataSource dataSource, String folding, boolean trusted) {
    ComparedColumn column =
        new ComparedColumn(
            "bloomguard.filters.users", "jdbc", KeyFolding.parse(folding), trusted, false);
    read(dataSource, "select c from texts where p < 200", column);
  }

  static List<Object> read(DataSource dataSource, String query, ComparedColumn column) {
    List<Object> keys = new ArrayList<>();
    new JdbcKeySource(dataSource, query, 1000, null, column, Duration.ofSeconds(60))
        .forEach(
            new KeySource.KeySink() {
              @Override
              public void accept(long key) {
                keys.add(key);
              }

              @Override
              public void accept(Object key) {
                keys.add(key);
              }
            });
    return keys;
  }

  /** Each letter alone, with a mark, with a space behind it, and two sequences. */
  private void fill(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement("insert into texts (p, c) values (?, ?)")) {
      int rows = 0;
      for (int point = 0x21; point <= last; point++) {
        if (isText(point)) {
          String letter = Character.toString(point);
          for (String text :
              point < 0x250 ? List.of(letter, letter + "x", letter + " ") : List.of(letter)) {
            insert.setInt(1, point);
            insert.setString(2, text);
            insert.addBatch();
            if (++rows % 2000 == 0) {
              insert.executeBatch();
            }
          }
        }
      }
      for (String text :
          last > 0xffff ? List.of("ΑΣ", "ας", "ασ", "e\u0301", "i\u0307") : List.<String>of()) {
        insert.setInt(1, 0);
        insert.setString(2, text);
        insert.addBatch();
      }
      insert.executeBatch();
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  private static boolean isText(int point) {
    int type = Character.getType(point);
    boolean ideograph = point >= 0x3400 && point < 0xa000 || point >= 0xac00 && point < 0xd7a4;
    return Character.isDefined(point)
        && !ideograph
        && type != Character.SURROGATE
        && type != Character.PRIVATE_USE
        && type != Character.CONTROL;
  }

  /** What the database holds equal and the filter does not. */
  private static List<String> apart(DataSource dataSource, KeyFolding folding) throws SQLException {
    List<String> apart = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet pairs =
            statement.executeQuery(
                "select a.p, a.c, b.p, b.c from texts a join (select min(p) p, min(c) c from texts"
                    + " group by c having count(*) > 1) b on a.c = b.c")) {
      while (pairs.next()) {
        if (!folding.widest(pairs.getString(2)).equals(folding.widest(pairs.getString(4)))) {
          apart.add(pairs.getInt(1) + "=" + pairs.getInt(3));
        }
      }
    }
    return apart;
  }
}
