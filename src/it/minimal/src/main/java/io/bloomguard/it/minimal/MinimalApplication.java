package io.bloomguard.it.minimal;

import io.bloomguard.generation.KeySource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application that has the starter and nothing else on its class path. */
@SpringBootApplication
public class MinimalApplication {

  public static void main(String[] args) {
    SpringApplication.run(MinimalApplication.class, args);
  }

  @Bean
  KeySource itemKeys() {
    return sink -> {
      for (long id = 0; id < Shelf.ITEMS; id++) {
        sink.accept(id);
      }
    };
  }
}
