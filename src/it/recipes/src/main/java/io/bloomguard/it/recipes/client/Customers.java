package io.bloomguard.it.recipes.client;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;

@Repository
public class Customers {

  private final JdbcClient jdbc;

  public Customers(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "customers", key = "#id")
  public Optional<Customer> find(long id) {
    return jdbc.sql("select id, name from customer where id = ?")
        .param(id)
        .query(Customer.class)
        .optional();
  }

  @BloomPut(filter = "customers", key = "#result") // the database draws it
  public long create(String name) {
    GeneratedKeyHolder drawn = new GeneratedKeyHolder();
    jdbc.sql("insert into customer (name) values (?)").param(name).update(drawn, "id");
    return drawn.getKeyAs(Long.class);
  }

  @BloomPut(filter = "customers", key = "#id") // drops the value that is kept
  public void rename(long id, String name) {
    jdbc.sql("update customer set name = ? where id = ?").param(name).param(id).update();
  }

  @BloomEvict(filter = "customers", key = "#id")
  public void delete(long id) {
    jdbc.sql("delete from customer where id = ?").param(id).update();
  }
}
