package io.bloomguard.autoconfigure;

import java.util.Set;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** The rules in a Netty, by the filter of WebFlux. */
class WebFluxRulesTest extends WebRulesContractTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardWebFluxAutoConfiguration.class,
    HttpHandlerAutoConfiguration.class,
    WebFluxAutoConfiguration.class,
    NettyReactiveWebServerAutoConfiguration.class
  })
  static class Netty {}

  @Override
  Class<?> server() {
    return Netty.class;
  }

  @Override
  WebApplicationType type() {
    return WebApplicationType.REACTIVE;
  }

  @Override
  String basePath() {
    return "spring.webflux.base-path";
  }

  @Override
  Set<String> refusedByServer() {
    return Set.of();
  }
}
