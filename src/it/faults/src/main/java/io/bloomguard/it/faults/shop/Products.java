package io.bloomguard.it.faults.shop;

import io.bloomguard.annotation.BloomPut;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The rows. */
@Repository
public class Products {

  private final JdbcClient jdbc;

  Products(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Adds the id to the filter, then inserts the row. */
  @BloomPut(filter = "products", key = "#id")
  public void insert(long id, Runnable afterAdd) {
    afterAdd.run();
    insertRow(id);
  }

  /** Inserts a row of the filter that forgets soon. */
  @BloomPut(filter = "brief", key = "#id")
  public void insertBrief(long id) {
    insertRow(id);
  }

  void insertRow(long id) {
    jdbc.sql("insert into products (id, name) values (?, ?)").params(id, "product " + id).update();
  }

  /** Reads a row in the database's own process, which counts and holds the answer back. */
  String load(long id, long holdMillis) {
    return jdbc.sql("select load_product(?, ?)")
        .params(id, holdMillis)
        .query((row, index) -> row.getString(1) == null ? "" : row.getString(1))
        .single();
  }
}
