package io.bloomguard.changes.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.changes.internal.kafka.FeedTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** The consumers of feeds beside those of the application. */
class FeedConsumersTest {

  private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
  private final List<String> asked = new ArrayList<>();

  private void factory(String name, boolean primary) {
    RootBeanDefinition factory =
        new RootBeanDefinition(
            ConsumerFactory.class,
            () ->
                new DefaultKafkaConsumerFactory<>(Map.of()) {
                  @Override
                  public Map<String, Object> getConfigurationProperties() {
                    asked.add(name);
                    return Map.of();
                  }
                });
    factory.setPrimary(primary);
    beans.registerBeanDefinition(name, factory);
  }

  @Test
  void ofSeveralKafkasThePrimaryOneIsRead() {
    factory("other", false);
    factory("ours", true);
    FeedConsumers.of(beans, new FeedTopics("products", "shop.products", null, null));
    assertThat(asked).containsExactly("ours");
  }

  @Test
  void withoutAPrimaryOneItIsTheFirst() {
    factory("one", false);
    factory("two", false);
    FeedConsumers.of(beans, new FeedTopics("products", "shop.products", null, null));
    assertThat(asked).containsExactly("one");
  }
}
