package io.bloomguard.autoconfigure;

import java.util.Set;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** The rules in a Tomcat, by the servlet filter. */
class ServletRulesTest extends WebRulesContractTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardWebAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class
  })
  static class Tomcat {

    @Bean
    RouterFunction<ServerResponse> routed() {
      return RouterFunctions.route(
          request -> request.path().contains("routed"),
          request -> ServerResponse.status(WebRulesContractTest.routed(request.path())).build());
    }
  }

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
