package io.bloomguard.it.recipes.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.recipes.Connections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "spring.config.name=jdbc",
      "spring.sql.init.schema-locations=classpath:schema-jdbc.sql",
      "bloomguard.filters.products.warm-up.mode=blocking",
      "bloomguard.filters.products.verify.first=0",
      "bloomguard.filters.products.verify.sample=0"
    })
@Import(Connections.class)
class JdbcRecipeTest {

  @Autowired private ProductRepository products;
  @Autowired private Connections connections;

  @Test
  void anAbsentKeyIsRejectedWithoutAQuery() {
    int before = connections.taken();
    assertThat(products.findById(999_999L)).isEmpty();
    assertThat(connections.taken()).isEqualTo(before);
  }

  @Test
  void aKeyThatIsWrittenIsFound() {
    assertThat(products.findById(1L)).map(Product::name).hasValue("Brush");
    List<Product> saved =
        products.saveAll(List.of(new Product(null, "Lamp"), new Product(null, "Clock")));
    assertThat(saved)
        .allSatisfy(product -> assertThat(products.findById(product.id())).isPresent());
  }

  @Test
  void aChangeAndADeletionAreSeen() {
    Product product = products.save(new Product(null, "Lamp"));
    assertThat(products.findById(product.id())).map(Product::name).hasValue("Lamp");
    products.save(new Product(product.id(), "Blue lamp"));
    assertThat(products.findById(product.id())).map(Product::name).hasValue("Blue lamp");
    products.deleteById(product.id());
    assertThat(products.findById(product.id())).isEmpty();
  }
}
