package io.bloomguard.it.recipes.production;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Orders, which another program inserts as well. */
@Repository
public class Orders {

  private final JdbcClient jdbc;

  public Orders(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "orders", key = "#id")
  public Optional<String> customer(long id) {
    return jdbc.sql("select customer from orders where id = ?")
        .param(id)
        .query(String.class)
        .optional();
  }
}
