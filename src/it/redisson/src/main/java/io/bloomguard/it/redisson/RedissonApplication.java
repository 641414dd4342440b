package io.bloomguard.it.redisson;

import io.bloomguard.generation.KeySource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application whose connection factory is Redisson's. */
@SpringBootApplication
public class RedissonApplication {

  public static void main(String[] args) {
    SpringApplication.run(RedissonApplication.class, args);
  }

  @Bean
  KeySource itemKeys() {
    return sink -> {
      for (long id = 1; id <= Items.LAST; id++) {
        sink.accept(id);
      }
    };
  }
}
