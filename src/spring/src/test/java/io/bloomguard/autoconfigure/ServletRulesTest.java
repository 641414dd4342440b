package io.bloomguard.autoconfigure;

import java.util.Set;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** The rules in a Tomcat, by the servlet filter. */
class ServletRulesTest extends WebRulesContractTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardWebAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class
  })
  static class Tomcat {}

  @Override
  Class<?> server() {
    return Tomcat.class;
  }

  @Override
  WebApplicationType type() {
    return WebApplicationType.SERVLET;
  }

  @Override
  String basePath() {
    return "server.servlet.context-path";
  }

  @Override
  Set<String> refusedByServer() {
    return Set.of("products/4%2F2", "products%2F42", "names/a%2Fb", "names/a%5Cb");
  }
}
