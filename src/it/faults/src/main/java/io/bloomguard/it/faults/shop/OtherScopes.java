package io.bloomguard.it.faults.shop;

import io.bloomguard.annotation.BloomPut;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Profile;
import org.springframework.context.annotation.Scope;
import org.springframework.stereotype.Repository;

/** Beans that are made when they are asked for. */
final class OtherScopes {

  private OtherScopes() {}

  @Lazy
  @Repository
  static class LazyProducts {

    private final Products products;

    LazyProducts(Products products) {
      this.products = products;
    }

    @BloomPut(filter = "products", key = "#id")
    public void insert(long id) {
      products.insertRow(id);
    }
  }

  @Scope("prototype")
  @Repository
  static class PrototypeProducts {

    private final Products products;

    PrototypeProducts(Products products) {
      this.products = products;
    }

    @BloomPut(filter = "products", key = "#id")
    public void insert(long id) {
      products.insertRow(id);
    }
  }

  /** An application with this one must not start. */
  @Lazy
  @Repository
  @Profile("inert-lazy")
  static class InertLazy {

    @BloomPut(filter = "products", key = "#id")
    public final void insert(long id) {}
  }

  /** Nor one with this. */
  @Scope("prototype")
  @Repository
  @Profile("inert-prototype")
  static class InertPrototype {

    @BloomPut(filter = "products", key = "#id")
    public final void insert(long id) {}
  }
}
