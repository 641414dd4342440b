package io.bloomguard.it.soak;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Rows that never change, behind a filter on this process' heap. */
@Repository
public class Notes {

  private final JdbcClient jdbc;

  Notes(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "notes", key = "#id")
  public Optional<String> find(long id) {
    return jdbc.sql("select name from notes where id = ?").param(id).query(String.class).optional();
  }
}
