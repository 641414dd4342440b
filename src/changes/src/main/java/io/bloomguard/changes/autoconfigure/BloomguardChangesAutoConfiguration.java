package io.bloomguard.changes.autoconfigure;

import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;

/** The places from which feeds of changes come. */
@AutoConfiguration(after = BloomguardAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "bloomguard.enabled", matchIfMissing = true)
@ConditionalOnBean(BloomguardProperties.class)
public final class BloomguardChangesAutoConfiguration {

  BloomguardChangesAutoConfiguration() {}

  @Bean
  KafkaFeedBackend bloomguardKafkaFeeds(
      BloomguardProperties properties, ListableBeanFactory beans) {
    return new KafkaFeedBackend(properties, beans);
  }

  @Bean
  DatabaseFeedBackend bloomguardDatabaseFeeds(
      BloomguardProperties properties, ListableBeanFactory beans) {
    return new DatabaseFeedBackend(properties, beans);
  }
}
