package io.bloomguard.bench;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.generation.KeySource;
import io.bloomguard.server.BloomguardServer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The server with the handlers whose walks {@link WalkTable} counts. */
@Configuration(proxyBeanMethods = false)
class WalkShop {

  /** The ids that exist, from 1. */
  static final long PRODUCTS = 1_000;

  public static void main(String[] args) {
    SpringApplication.run(new Class<?>[] {BloomguardServer.class, WalkShop.class}, args);
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

    @BloomGuarded(filter = "near", key = "#id")
    @Nullable String near(long id) {
      return id <= PRODUCTS ? "product " + id : null;
    }

    @BloomGuarded(filter = "shared", key = "#id")
    @Nullable String shared(long id) {
      return id <= PRODUCTS ? "product " + id : null;
    }

    @BloomPut(filter = "shared", key = "#id")
    void insert(long id) {}
  }

  @RestController
  static class Handlers {

    private final Products products;

    Handlers(Products products) {
      this.products = products;
    }

    @GetMapping("/ruled/{id}")
    String ruled(@PathVariable long id) {
      return "product " + id;
    }

    @GetMapping("/near/{id}")
    String near(@PathVariable long id) {
      return String.valueOf(products.near(id));
    }

    @GetMapping("/shared/{id}")
    String shared(@PathVariable long id) {
      return String.valueOf(products.shared(id));
    }

    @PostMapping("/shared/{id}")
    String insert(@PathVariable long id) {
      products.insert(id);
      return "inserted";
    }
  }
}
