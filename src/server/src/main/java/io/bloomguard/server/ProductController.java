package io.bloomguard.server;

import java.math.BigDecimal;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The demo catalogue over HTTP. */
@RestController
@RequestMapping("/api/products")
class ProductController {

  private static final int MAX_NAME = 200;
  private static final BigDecimal MAX_PRICE = new BigDecimal("99999999.99");
  private static final int PRICE_SCALE = 2;

  private final ProductRepository products;

  ProductController(ProductRepository products) {
    this.products = products;
  }

  @GetMapping("/{id}")
  Product find(@PathVariable long id) {
    return products
        .findById(id)
        .orElseThrow(
            () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such product"));
  }

  @PostMapping
  ResponseEntity<Product> create(@RequestBody NewProduct body) {
    String name = requireName(body.name());
    BigDecimal price = requirePrice(body.price());
    Product saved = products.save(new Product(products.nextId(), name, price));
    return ResponseEntity.created(URI.create("/api/products/" + saved.id())).body(saved);
  }

  private static String requireName(@Nullable String name) {
    if (name == null || name.isBlank()) {
      throw badRequest("'name' is missing or blank");
    }
    if (name.length() > MAX_NAME) {
      throw badRequest("'name' must have at most " + MAX_NAME + " characters");
    }
    return name;
  }

  private static BigDecimal requirePrice(@Nullable BigDecimal price) {
    if (price == null) {
      throw badRequest("'price' is missing");
    }
    if (price.signum() < 0 || price.compareTo(MAX_PRICE) > 0) {
      throw badRequest("'price' must be 0 to " + MAX_PRICE);
    }
    if (price.stripTrailingZeros().scale() > PRICE_SCALE) {
      throw badRequest("'price' must have at most " + PRICE_SCALE + " decimal places");
    }
    return price.setScale(PRICE_SCALE);
  }

  private static ResponseStatusException badRequest(String detail) {
    return new ResponseStatusException(HttpStatus.BAD_REQUEST, detail);
  }

  record NewProduct(@Nullable String name, @Nullable BigDecimal price) {}
}
