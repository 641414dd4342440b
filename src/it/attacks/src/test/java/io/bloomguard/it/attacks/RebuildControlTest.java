package io.bloomguard.it.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.it.attacks.node.NodeApplication;
import io.bloomguard.it.support.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.context.ConfigurableApplicationContext;

/** One node renews a filter, or an accident takes its bits, while another node asks. */
class RebuildControlTest {

  private static final List<String> KEYS =
      IntStream.range(0, 1_000).mapToObj(i -> "thing-" + i).toList();
  private static final double PROBABILITY = 0.001;

  private final List<AutoCloseable> open = new ArrayList<>();
  private RedisProcess redis;

  @BeforeEach
  void start() throws Exception {
    redis = new RedisProcess("redis");
  }

  @AfterEach
  void stop() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
    redis.close();
  }

  @Test
  void redissonDeletedAndInitialisedAgain() {
    RBloomFilter<String> writer = redisson().getBloomFilter("things");
    RBloomFilter<String> reader = redisson().getBloomFilter("things");
    writer.tryInit(KEYS.size(), PROBABILITY);
    KEYS.forEach(writer::add);
    assertThat(KEYS).allMatch(reader::contains);

    writer.delete();
    writer.tryInit(KEYS.size(), PROBABILITY);
    KEYS.subList(0, KEYS.size() / 2).forEach(writer::add);

    report("Redisson, half renewed after delete() and tryInit()", wronglyRejected(reader));
  }

  @Test
  void redissonWithoutItsBits() throws Exception {
    RBloomFilter<String> filter = redisson().getBloomFilter("things");
    filter.tryInit(KEYS.size(), PROBABILITY);
    KEYS.forEach(filter::add);

    redis.call("DEL", "things");

    report("Redisson, bitmap deleted", wronglyRejected(redisson().getBloomFilter("things")));
  }

  @Test
  void oursRebuiltWhileAnotherNodeAsks() throws Exception {
    HalfwayKeys source = new HalfwayKeys();
    ConfigurableApplicationContext writer = node(source);
    ConfigurableApplicationContext reader = node(source);
    long before = generation(reader);

    source.stopHalfway();
    writer.getBean(BloomFiltersEndpoint.class).act("things", "rebuild", null, null, null, null);
    assertThat(source.halfway.await(1, TimeUnit.MINUTES)).isTrue();
    List<Membership> halfway = ask(reader);
    source.resume.countDown();
    await().atMost(Duration.ofMinutes(1)).until(() -> generation(reader) > before);
    List<Membership> afterwards = ask(reader);

    report("Bloomguard, half rebuilt at another node", wronglyRejected(halfway));
    report("Bloomguard, rebuilt at another node", wronglyRejected(afterwards));
    assertThat(halfway).containsOnly(Membership.POSSIBLY_PRESENT);
    assertThat(afterwards).containsOnly(Membership.POSSIBLY_PRESENT);
  }

  @Test
  void oursWithoutItsBits() throws Exception {
    ConfigurableApplicationContext node = node(new HalfwayKeys());
    List<Object> large = new ArrayList<>();
    for (Object key : (List<?>) redis.call("KEYS", "*")) {
      if (redis.call("TYPE", key).equals("string") && (Long) redis.call("STRLEN", key) > 1_000) {
        large.add(key);
      }
    }
    assertThat(large).isNotEmpty();

    for (Object key : large) {
      redis.call("DEL", key);
    }

    List<Membership> answers = ask(node);
    report("Bloomguard, bitmap deleted", wronglyRejected(answers));
    assertThat(answers).doesNotContain(Membership.ABSENT);
  }

  private RedissonClient redisson() {
    Config config = new Config();
    config.useSingleServer().setAddress("redis://127.0.0.1:" + redis.port());
    RedissonClient client = Redisson.create(config);
    open.add(client::shutdown);
    return client;
  }

  /** A node whose filter is ready. */
  private ConfigurableApplicationContext node(KeySource keys) {
    List<String> arguments = new ArrayList<>(redis.arguments());
    arguments.add("--management.endpoints.web.exposure.include=bloomfilters");
    ConfigurableApplicationContext node = NodeApplication.start(keys, arguments);
    open.add(node);
    await().atMost(Duration.ofMinutes(1)).until(() -> !ask(node).contains(Membership.UNKNOWN));
    return node;
  }

  private static long generation(ConfigurableApplicationContext node) {
    return (long) node.getBean(BloomFiltersEndpoint.class).filter("things").get("generation");
  }

  private static List<Membership> ask(ConfigurableApplicationContext node) {
    return node.getBean(BloomGuards.class).guard("things").checkAll(KEYS);
  }

  private static int wronglyRejected(List<Membership> answers) {
    return Collections.frequency(answers, Membership.ABSENT);
  }

  private static int wronglyRejected(RBloomFilter<String> filter) {
    return (int) KEYS.stream().filter(key -> !filter.contains(key)).count();
  }

  private static void report(String what, int rejected) {
    System.out.printf(
        "RESULT control, %s: %d of %d keys that exist were rejected%n",
        what, rejected, KEYS.size());
  }

  /** All keys; on request it stops when half of them are read. */
  private static final class HalfwayKeys implements KeySource {

    private final CountDownLatch halfway = new CountDownLatch(1);
    private final CountDownLatch resume = new CountDownLatch(1);
    private volatile boolean stops;

    void stopHalfway() {
      stops = true;
    }

    @Override
    public void forEach(KeySink sink) throws InterruptedException {
      KEYS.subList(0, KEYS.size() / 2).forEach(sink::accept);
      if (stops) {
        halfway.countDown();
        if (!resume.await(1, TimeUnit.MINUTES)) {
          throw new IllegalStateException("Nobody went on");
        }
      }
      KEYS.subList(KEYS.size() / 2, KEYS.size()).forEach(sink::accept);
    }
  }
}
