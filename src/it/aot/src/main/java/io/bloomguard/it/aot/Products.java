package io.bloomguard.it.aot;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Keys from a query, a filter on the heap. */
@Repository
public class Products {

  private final JdbcClient jdbc;

  Products(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "products", key = "#id")
  public Optional<Product> find(long id) {
    return jdbc.sql("select id, name, amount, currency from product where id = ?")
        .param(id)
        .query(
            (row, number) ->
                new Product(
                    row.getLong("id"),
                    row.getString("name"),
                    new Price(row.getBigDecimal("amount"), row.getString("currency"))))
        .optional();
  }

  @BloomPut(filter = "products", key = "#product.id")
  public void add(Product product) {
    jdbc.sql("insert into product (id, name, amount, currency) values (?, ?, ?, ?)")
        .param(product.id())
        .param(product.name())
        .param(product.price().amount())
        .param(product.price().currency())
        .update();
  }
}
