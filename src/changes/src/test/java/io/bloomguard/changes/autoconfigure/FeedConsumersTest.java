package io.bloomguard.changes.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.changes.internal.kafka.FeedTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** The consumers of feeds beside those of the application. */
class FeedConsumersTest {

  private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
  private final List<String> asked = new ArrayList<>();

  /** The settings of the last consumer that was made. */
  public static final class Seen implements ConsumerInterceptor<byte[], byte[]> {

    private static Map<String, ?> settings = Map.of();

    @Override
    public void configure(Map<String, ?> all) {
      settings = Map.copyOf(all);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {}
  }

  /** All values may have to be searched for, which takes up to a minute. */
  @Test
  void aBatchHasItsTimeWhateverTheApplicationsOwnConsumersHave() {
    beans.registerSingleton(
        "ours",
        new DefaultKafkaConsumerFactory<>(
            Map.of(
                "bootstrap.servers",
                "127.0.0.1:1",
                "interceptor.classes",
                Seen.class.getName(),
                "max.poll.interval.ms",
                10_000)));
    FeedConsumers.of(beans, new FeedTopics("products", "shop.products", null, "group"))
        .consumer()
        .close();
    assertThat(String.valueOf(Seen.settings.get("max.poll.interval.ms"))).isEqualTo("300000");
  }

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
