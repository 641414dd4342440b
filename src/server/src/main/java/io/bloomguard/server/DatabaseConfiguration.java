package io.bloomguard.server;

import io.bloomguard.guard.StartRefusedException;
import java.util.Locale;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Boot's own data source, only where its URL is configured. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("spring.datasource.url")
@Import(DataSourceAutoConfiguration.class)
class DatabaseConfiguration {

  private static final String MYSQL = "jdbc:mysql:";
  private static final String MYSQL_DRIVER = "com.mysql.cj.jdbc.Driver";

  /** Before the data source, which would blame the class path. */
  @Bean
  static BeanFactoryPostProcessor databaseUrlCheck(Environment environment) {
    return beans -> requireDriver(environment.getRequiredProperty("spring.datasource.url"));
  }

  /** The message has no more of the URL than its beginning: the rest may hold a password. */
  private static void requireDriver(String url) {
    if (url.toLowerCase(Locale.ROOT).startsWith(MYSQL)
        && !ClassUtils.isPresent(MYSQL_DRIVER, DatabaseConfiguration.class.getClassLoader())) {
      throw new StartRefusedException(
          "spring.datasource.url begins with 'jdbc:mysql:', and this server has no driver for that",
          "Write 'jdbc:mariadb:' in its place. The MariaDB driver is in this server, and it works"
              + " with MySQL servers too.");
    }
  }
}
