package io.bloomguard.it.r2dbc;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.r2dbc.core.DatabaseClient;

/** An application whose only database driver is reactive. */
@SpringBootApplication
public class R2dbcApplication {

  public static void main(String[] arguments) {
    SpringApplication.run(R2dbcApplication.class, arguments);
  }

  @Bean
  DatabaseClient databaseClient(io.r2dbc.spi.ConnectionFactory connections) {
    return DatabaseClient.create(connections);
  }
}
