package io.bloomguard.it.attacks.shop;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The things in the database, behind a filter that passes one absent key in a hundred, or ten. */
@Repository
public class Things {

  private final AtomicLong queries = new AtomicLong();
  private final JdbcClient jdbc;

  Things(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "one-percent", key = "#id")
  public Optional<String> findOnePercent(long id) {
    return query(id);
  }

  @BloomGuarded(filter = "ten-percent", key = "#id")
  public Optional<String> findTenPercent(long id) {
    return query(id);
  }

  private Optional<String> query(long id) {
    queries.incrementAndGet();
    return jdbc.sql("select name from things where id = ?")
        .param(id)
        .query(String.class)
        .optional();
  }

  long queries() {
    return queries.get();
  }
}
