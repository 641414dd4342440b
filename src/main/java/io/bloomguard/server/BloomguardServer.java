package io.bloomguard.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * The Bloomguard server.
 *
 * <p>Its parts are named here, not scanned for, because some are there only on a condition. Boot's
 * data source is one of them: left to itself it would make an embedded database where no URL is
 * configured.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
@Import({
  MembershipController.class,
  SizingController.class,
  Problems.class,
  Problems.Fallback.class,
  StartupReport.class,
  Database.class,
  RedisUse.class,
  DemoCatalogue.class
})
public class BloomguardServer {

  public static void main(String[] args) {
    SpringApplication.run(BloomguardServer.class, args);
  }
}
