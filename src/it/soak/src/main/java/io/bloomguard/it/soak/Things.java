package io.bloomguard.it.soak;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The rows. */
@Repository
public class Things {

  private final JdbcClient jdbc;

  Things(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "things", key = "#id")
  public Optional<String> find(long id) {
    return Optional.ofNullable(row(id));
  }

  @Transactional
  @BloomPut(filter = "things", key = "#id")
  public void insert(long id) {
    jdbc.sql("insert into things (id, name) values (?, ?)").params(id, "thing " + id).update();
  }

  /** The name in the database, null where there is no row. */
  String row(long id) {
    return jdbc.sql("select name from things where id = ?")
        .param(id)
        .query(String.class)
        .optional()
        .orElse(null);
  }
}
