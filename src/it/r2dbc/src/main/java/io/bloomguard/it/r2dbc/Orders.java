package io.bloomguard.it.r2dbc;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

// tag::recipe[]
@Repository
public class Orders {

  private final DatabaseClient database;

  public Orders(DatabaseClient database) {
    this.database = database;
  }

  @BloomGuarded(filter = "orders", key = "#id")
  public Mono<Order> find(long id) {
    return database
        .sql("select id, item from orders where id = :id")
        .bind("id", id)
        .mapProperties(Order.class)
        .one();
  }

  // end::recipe[]
  /** The id of a row to insert: a filter knows a key before its row is visible. */
  public Mono<Long> nextId() {
    return database.sql("select nextval('order_ids')").mapValue(Long.class).one();
  }

  @BloomPut(filter = "orders", key = "#order.id")
  @Transactional
  public Mono<Void> insert(Order order) {
    return database
        .sql("insert into orders (id, item) values (:id, :item)")
        .bindProperties(order)
        .then();
  }

  // tag::recipe[]
  /** The database draws the id, which the guard adds before the commit. */
  @BloomPut(filter = "orders", key = "#result.id")
  public Mono<Order> create(String item) {
    return database
        .sql(
            "insert into orders (id, item) values (nextval('order_ids'), :item) returning id, item")
        .bind("item", item)
        .mapProperties(Order.class)
        .one();
  }

  @BloomEvict(filter = "orders", key = "#order.id")
  @Transactional
  public Mono<Void> update(Order order) {
    return database
        .sql("update orders set item = :item where id = :id")
        .bindProperties(order)
        .then();
  }
}
// end::recipe[]
