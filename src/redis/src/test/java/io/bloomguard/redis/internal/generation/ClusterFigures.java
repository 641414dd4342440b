package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.TestRedisFilters;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The figures of docs/scale.md for checks of a filter in as many partitions as 10^10 keys take, on
 * a cluster of three masters, beside one partition there and one on a server alone. Not part of any
 * build: {@code -Dtest=ClusterFigures} runs it.
 */
class ClusterFigures {

  private static final int MASTERS = 3;
  private static final int PARTITIONS = 58;
  private static final int KEYS = 1_000_000;
  private static final int BATCH = 128;
  private static final int CALLS = 3_000;
  private static final int ROUNDS = 3;
  private static final FilterShape SHAPE = FilterPlan.redis(KEYS, 1e-4).whole();

  @Test
  void checks() throws Exception {
    List<EmbeddedRedis> masters = cluster();
    try (EmbeddedRedis alone = new EmbeddedRedis();
        RedisConnections connections =
            new RedisConnections(factory(masters), Duration.ofSeconds(5))) {
      if (!connections.awaitConnected(Duration.ofSeconds(20))) {
        throw new IllegalStateException("The cluster does not answer");
      }
      List<GenerationStore> stores =
          List.of(
              store("alone", alone.connections(), 1),
              store("one", connections, 1),
              store("many", connections, PARTITIONS));
      List<String> names =
          List.of(
              "1 partition, alone", "1 partition, cluster", PARTITIONS + " partitions, cluster");
      for (int round = 0; round <= ROUNDS; round++) {
        for (int i = 0; i < stores.size(); i++) {
          double one = micros(stores.get(i), 1);
          double batch = micros(stores.get(i), BATCH);
          if (round > 0) {
            System.out.printf(
                Locale.ROOT,
                "FIGURES round %d, %s: a check %.0f us, a batch of %d %.0f us%n",
                round,
                names.get(i),
                one,
                BATCH,
                batch);
          }
        }
      }
    } finally {
      for (EmbeddedRedis master : masters) {
        master.close();
      }
    }
  }

  private static GenerationStore store(String name, RedisConnections connections, int partitions) {
    long bytes = SHAPE.sizeBytes();
    Limits limits =
        LongStream.iterate(bytes, each -> each * 99 / 100)
            .mapToObj(RedisTestBase.AT_ONCE::withMaxImageBytes)
            .dropWhile(each -> each.partitions(SHAPE) < partitions)
            .findFirst()
            .orElseThrow();
    if (partitions == 1) {
      limits = RedisTestBase.AT_ONCE;
    }
    if (limits.partitions(SHAPE) != partitions) {
      throw new IllegalStateException("No bound gives " + partitions + " partitions");
    }
    GenerationStore store =
        RedisTestBase.store(
            TestRedisFilters.filter(
                name, SHAPE, connections, "bloomguard", RedisTestBase.RETENTION, null),
            limits);
    // The connections to the masters come one after the other.
    Awaitility.await().ignoreExceptions().until(() -> isBegun(store));
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      long[] keys = LongStream.range(0, KEYS).toArray();
      build.addAll(keys, keys.length);
      build.publish();
    }
    store.maintain();
    return store;
  }

  private static boolean isBegun(GenerationStore store) {
    store.beginBuild(SHAPE).close();
    return true;
  }

  /** The median time of a call by one thread, half of whose keys are there. */
  private static double micros(GenerationStore store, int keys) {
    long[] nanos = new long[CALLS];
    for (int i = 0; i < CALLS; i++) {
      int from = KEYS - (int) (i * 7919L % 100_000);
      List<String> batch =
          IntStream.range(0, keys)
              .mapToObj(j -> Integer.toString(from + (j % 2) * KEYS - j))
              .toList();
      long began = System.nanoTime();
      if (keys == 1) {
        var unused = store.check(batch.get(0));
      } else {
        var unused = store.checkAll(batch);
      }
      nanos[i] = System.nanoTime() - began;
    }
    Arrays.sort(nanos);
    return nanos[CALLS / 2] / 1e3;
  }

  private static List<EmbeddedRedis> cluster() throws Exception {
    List<EmbeddedRedis> masters = new ArrayList<>();
    List<Integer> buses = new ArrayList<>();
    for (int i = 0; i < MASTERS; i++) {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        buses.add(socket.getLocalPort());
      }
      masters.add(
          new EmbeddedRedis(List.of("cluster-enabled yes", "cluster-port " + buses.get(i))));
    }
    for (int i = 0; i < MASTERS; i++) {
      tell(masters.get(0), "MEET", "127.0.0.1", "" + masters.get(i).port(), "" + buses.get(i));
      int from = i * SlotHash.SLOT_COUNT / MASTERS;
      int to = (i + 1) * SlotHash.SLOT_COUNT / MASTERS - 1;
      tell(masters.get(i), "ADDSLOTSRANGE", "" + from, "" + to);
    }
    for (EmbeddedRedis master : masters) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                String info = master.commands().clusterInfo();
                return info.contains("cluster_state:ok")
                    && info.contains("cluster_known_nodes:" + MASTERS);
              });
    }
    return masters;
  }

  private static void tell(EmbeddedRedis node, String... words) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    Arrays.stream(words).forEach(args::add);
    node.commands()
        .dispatch(CommandType.CLUSTER, new StatusOutput<>(ByteArrayCodec.INSTANCE), args);
  }

  private static LettuceConnectionFactory factory(List<EmbeddedRedis> masters) {
    LettuceConnectionFactory factory =
        new LettuceConnectionFactory(
            new RedisClusterConfiguration(
                masters.stream().map(master -> "127.0.0.1:" + master.port()).toList()));
    return factory;
  }
}
