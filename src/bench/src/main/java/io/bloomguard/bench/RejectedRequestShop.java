package io.bloomguard.bench;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.generation.KeySource;
import io.bloomguard.server.BloomguardServer;
import java.math.BigDecimal;
import java.util.Optional;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The server with handlers of products beside its own, one for each way in which a request for an
 * absent one is answered.
 */
@Configuration(proxyBeanMethods = false)
class RejectedRequestShop {

  /** As many products as there are ids, from 1. */
  static final int PRODUCTS = BenchForm.size(100_000, 1_000);

  public static void main(String[] args) {
    SpringApplication.run(new Class<?>[] {BloomguardServer.class, RejectedRequestShop.class}, args);
  }

  record Product(long id, String name, BigDecimal price) {

    static Product of(long id) {
      return new Product(id, "Classic brass clock No. " + id, new BigDecimal("354.97"));
    }
  }

  @Bean
  KeySource keys() {
    return sink -> {
      for (long id = 1; id <= PRODUCTS; id++) {
        sink.accept(Long.toString(id));
      }
    };
  }

  @Bean
  Products products() {
    return new Products();
  }

  static class Products {

    @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW, cache = "thrown")
    Product require(long id) {
      return Product.of(id);
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "found")
    Optional<Product> find(long id) {
      return Optional.of(Product.of(id));
    }
  }

  @RestController
  static class Handlers {

    private final Products products;

    Handlers(Products products) {
      this.products = products;
    }

    @GetMapping("/method/{id}")
    Product method(@PathVariable long id) {
      return products.require(id);
    }

    @GetMapping("/own/{id}")
    Product own(@PathVariable long id) {
      return products
          .find(id)
          .orElseThrow(
              () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such product"));
    }

    @GetMapping("/ruled/{id}")
    Product ruled(@PathVariable long id) {
      return products.require(id);
    }
  }
}
