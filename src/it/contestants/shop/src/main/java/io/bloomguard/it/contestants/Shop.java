package io.bloomguard.it.contestants;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The shop under attack. A module that depends on this one says how products are found. */
@SpringBootApplication
public class Shop {

  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }
}
