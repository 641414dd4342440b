package io.bloomguard.it.recipes.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.recipes.Connections;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "spring.config.name=client",
      "spring.sql.init.schema-locations=classpath:schema-client.sql",
      "bloomguard.filters.customers.warm-up.mode=blocking",
      "bloomguard.filters.customers.verify.first=0",
      "bloomguard.filters.customers.verify.sample=0"
    })
@Import(Connections.class)
class ClientRecipeTest {

  @Autowired private Customers customers;
  @Autowired private Connections connections;

  @Test
  void anAbsentKeyIsRejectedWithoutAQuery() {
    int before = connections.taken();
    assertThat(customers.find(999_999)).isEmpty();
    assertThat(connections.taken()).isEqualTo(before);
  }

  @Test
  void aValueIsKept() {
    assertThat(customers.find(1)).map(Customer::name).hasValue("Ada");
    int before = connections.taken();
    assertThat(customers.find(1)).map(Customer::name).hasValue("Ada");
    assertThat(connections.taken()).isEqualTo(before);
  }

  @Test
  void aKeyThatIsWrittenIsFound() {
    long id = customers.create("Grace");
    assertThat(customers.find(id)).map(Customer::name).hasValue("Grace");
    customers.rename(id, "Grace H.");
    assertThat(customers.find(id)).map(Customer::name).hasValue("Grace H.");
    customers.delete(id);
    assertThat(customers.find(id)).isEmpty();
  }
}
