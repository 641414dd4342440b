package io.bloomguard.it.aot;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop that is processed ahead of time. */
@SpringBootApplication
public class AotApplication {

  public static void main(String[] args) {
    SpringApplication.run(AotApplication.class, args);
  }
}
