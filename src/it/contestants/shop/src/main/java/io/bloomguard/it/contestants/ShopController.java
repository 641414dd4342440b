package io.bloomguard.it.contestants;

import java.math.BigDecimal;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Inserts, and the figure that the benchmark reads. */
@RestController
class ShopController {

  private static final BigDecimal PRICE = new BigDecimal("9.99");

  private final Products products;
  private final ProductTable table;

  ShopController(Products products, ProductTable table) {
    this.products = products;
    this.table = table;
  }

  @PostMapping("/products/{id}")
  @ResponseStatus(HttpStatus.CREATED)
  void insert(@PathVariable String id) {
    products.insert(new Product(id, "Product " + id, PRICE));
  }

  @GetMapping("/queries")
  String queries() {
    return Long.toString(table.queries());
  }
}
