package io.bloomguard.autoconfigure;

import java.net.InetAddress;
import java.util.Set;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/** The rules in a Netty, by the filter of WebFlux. */
class WebFluxRulesTest extends WebRulesContractTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardWebFluxAutoConfiguration.class,
    HttpHandlerAutoConfiguration.class,
    WebFluxAutoConfiguration.class
  })
  static class Netty {

    @Bean
    NettyReactiveWebServerFactory server() {
      NettyReactiveWebServerFactory factory = new NettyReactiveWebServerFactory(0);
      factory.setAddress(InetAddress.getLoopbackAddress());
      return factory;
    }

    @Bean
    RouterFunction<ServerResponse> routed() {
      return RouterFunctions.route(
          request -> request.path().contains("routed"),
          request -> ServerResponse.status(WebRulesContractTest.routed(request.path())).build());
    }
  }

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
