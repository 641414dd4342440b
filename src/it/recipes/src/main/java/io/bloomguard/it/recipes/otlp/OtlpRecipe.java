package io.bloomguard.it.recipes.otlp;

import io.bloomguard.generation.KeySource;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The application of this recipe alone. */
@SpringBootApplication(
    exclude = {HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class})
public class OtlpRecipe {

  @Bean
  KeySource productKeys() {
    return sink -> {
      for (long id = 1; id <= 100; id++) {
        sink.accept(id);
      }
    };
  }
}
