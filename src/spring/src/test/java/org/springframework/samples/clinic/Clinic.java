package org.springframework.samples.clinic;

import io.bloomguard.annotation.BloomGuarded;

/** An application whose package begins as Spring's own do. */
public class Clinic {

  @BloomGuarded(filter = "products", key = "#id")
  public String find(String id) {
    return id;
  }

  public void save(String id) {}
}
