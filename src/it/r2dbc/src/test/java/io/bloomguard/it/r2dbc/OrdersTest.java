package io.bloomguard.it.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest(
    properties = {
      "bloomguard.filters.orders.warm-up.mode=blocking",
      "bloomguard.filters.orders.verify.first=0",
      "bloomguard.filters.orders.verify.sample=0"
    })
class OrdersTest {

  @Autowired private Orders orders;
  @Autowired private BloomGuards guards;
  @Autowired private ObjectProvider<DataSource> dataSources;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry properties) {
    Postgres.execute(
        "drop table if exists orders",
        "drop sequence if exists order_ids",
        "create table orders (id bigint primary key, item varchar(40))",
        "create sequence order_ids start 1001",
        "insert into orders select x, 'item ' || x from generate_series(1, 1000) x");
    properties.add("spring.r2dbc.url", Postgres::url);
  }

  @Test
  void theFilterIsWarmedWithoutADataSource() {
    assertThat(dataSources.getIfAvailable()).isNull();
    assertThat(guards.guard("orders").check(1000)).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guards.guard("orders").check(999_999)).isEqualTo(Membership.ABSENT);
    assertThat(orders.find(7).block()).isEqualTo(new Order(7, "item 7"));
    assertThat(orders.find(999_999).block()).isNull();
  }

  @Test
  void aRowIsFoundOnceItIsInserted() {
    Order order =
        orders
            .nextId()
            .map(id -> new Order(id, "lamp"))
            .flatMap(row -> orders.insert(row).thenReturn(row))
            .block();
    assertThat(orders.find(order.id()).block()).isEqualTo(order);

    Order renamed = new Order(order.id(), "bulb");
    orders.update(renamed).block();
    assertThat(orders.find(order.id()).block()).isEqualTo(renamed);
  }
}
