package io.bloomguard.it.contestants;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.OnAbsent;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The request under attack, guarded at its handler. */
@RestController
@Profile("handler")
public class GuardedController implements Products {

  private final ProductTable table;

  GuardedController(ProductTable table) {
    this.table = table;
  }

  @Override
  @GetMapping("/products/{id}")
  @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW)
  public Product find(@PathVariable long id) {
    return table.find(id);
  }

  @Override
  @BloomPut(filter = "products", key = "#product.id")
  public void insert(Product product) {
    table.insert(product);
  }
}
