package io.bloomguard.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/**
 * The Bloomguard server.
 *
 * <p>Its database is optional: {@link Database} brings the auto-configuration of a data source back
 * where a URL is configured. Left to itself it would make an embedded database of its own.
 */
@SpringBootApplication(exclude = DataSourceAutoConfiguration.class)
public class BloomguardServer {

  public static void main(String[] args) {
    SpringApplication.run(BloomguardServer.class, args);
  }
}
