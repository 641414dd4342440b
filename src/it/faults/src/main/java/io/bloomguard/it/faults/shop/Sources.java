package io.bloomguard.it.faults.shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The sources that are beans, each with a query of its own. */
@Configuration(proxyBeanMethods = false)
class Sources {

  @Bean
  RowKeys productKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new RowKeys(jdbc, "products", shop, "products");
  }

  @Bean
  RowKeys stockKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new RowKeys(jdbc, "products", shop, "stock");
  }

  @Bean
  RowKeys briefKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new RowKeys(jdbc, "products", shop, "brief");
  }

  @Bean
  RowKeys nearKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new RowKeys(jdbc, "products", shop, "near");
  }

  @Bean
  RowKeys codeKeys(JdbcClient jdbc, @Value("${faults.shop}") String shop) {
    return new RowKeys(jdbc, "codes", shop, "codes");
  }
}
