package io.bloomguard.it.faults.shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The sources that are beans, each with a query of its own. */
@Configuration(proxyBeanMethods = false)
class Sources {

  @Bean
  ProductKeys productKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new ProductKeys(jdbc, shop, "products");
  }

  @Bean
  ProductKeys stockKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new ProductKeys(jdbc, shop, "stock");
  }

  @Bean
  ProductKeys briefKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new ProductKeys(jdbc, shop, "brief");
  }

  @Bean
  ProductKeys nearKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new ProductKeys(jdbc, shop, "near");
  }
}
