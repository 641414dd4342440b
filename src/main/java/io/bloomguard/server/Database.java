package io.bloomguard.server;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Boot's own data source, only where its URL is configured. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("spring.datasource.url")
@Import(DataSourceAutoConfiguration.class)
class Database {}
