package io.bloomguard.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.OAuth2ResourceServerAutoConfiguration;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.web.OAuth2ResourceServerWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * The Bloomguard server.
 *
 * <p>Its parts are named here, not scanned for, because some are there only on a condition. Boot's
 * data source is one of them: left to itself it would make an embedded database where no URL is
 * configured. So is its security, which would lock every call.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(
    exclude = {
      DataSourceAutoConfiguration.class,
      SecurityAutoConfiguration.class,
      UserDetailsServiceAutoConfiguration.class,
      ServletWebSecurityAutoConfiguration.class,
      SecurityFilterAutoConfiguration.class,
      ManagementWebSecurityAutoConfiguration.class,
      OAuth2ResourceServerAutoConfiguration.class,
      OAuth2ResourceServerWebSecurityAutoConfiguration.class
    })
@Import({
  MembershipController.class,
  SizingController.class,
  ApiDocumentController.class,
  Problems.class,
  Problems.Fallback.class,
  EntryFilters.class,
  GatewayConfiguration.class,
  StartPage.class,
  StartupReport.class,
  DatabaseConfiguration.class,
  RedisConfiguration.class,
  DemoCatalogue.class,
  SecuredConfiguration.class,
  UnsecuredConfiguration.class
})
public class BloomguardServer {

  public static void main(String[] args) {
    if (SizingCommand.isMeant(args)) {
      System.exit(SizingCommand.run(args, System.out, System.err));
    }
    SpringApplication.run(BloomguardServer.class, args);
  }
}
