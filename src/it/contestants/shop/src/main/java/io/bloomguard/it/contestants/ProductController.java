package io.bloomguard.it.contestants;

import java.util.Optional;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The request under attack. */
@RestController
class ProductController {

  private final Products products;

  ProductController(Products products) {
    this.products = products;
  }

  @GetMapping("/products/{id}")
  ResponseEntity<Product> find(@PathVariable String id) {
    return ResponseEntity.of(Optional.ofNullable(products.find(id)));
  }
}
