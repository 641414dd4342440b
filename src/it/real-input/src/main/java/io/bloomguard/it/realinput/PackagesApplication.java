package io.bloomguard.it.realinput;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A package index: somebody's application that uses the starter. */
@SpringBootApplication
public class PackagesApplication {

  public static void main(String[] args) {
    SpringApplication.run(PackagesApplication.class, args);
  }
}
