package io.bloomguard.redis.internal.generation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.ImageWriter;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The figures of docs/scale.md that a publisher makes, beside the same bits by pipelined SETBIT and
 * the same string by RESTORE, one after the other. Not part of any build: {@code
 * -Dtest=PublishFigures} runs it.
 */
class PublishFigures extends RedisTestBase {

  private static final int KEYS = 20_000_000;
  private static final int SETBIT_KEYS = 100_000;
  private static final int PIPELINED = 1_000;
  private static final int ROUNDS = 3;
  private static final byte[] COPY = "copy".getBytes(UTF_8);

  @TempDir Path folder;

  @Test
  void megabytesASecond() throws Exception {
    FilterShape shape = FilterPlan.redis(KEYS, 1e-4).whole();
    SchemeStore store = store(first, shape, AT_ONCE);
    store.serveEmpty(shape);
    reachBack(1);
    for (int round = 0; round < ROUNDS; round++) {
      ImageSet set = set(shape);
      Took publish = new Took();
      try (GenerationStore.Build build = store.beginImages(set, shape, "run")) {
        build.load(
            name -> {
              publish.look();
              return new ImageDirectory(folder).open(name);
            },
            false);
        publish.look();
        build.publish(set.keys());
      }
      publish.end();
      Took setbit = new Took();
      setbit(shape);
      setbit.end();
      byte[] dump = redis.commands().dump(images().get(0));
      Took restore = new Took();
      redis.commands().del(COPY);
      redis.commands().restore(COPY, 0, dump);
      restore.end();
      redis.commands().del(COPY);
      double bytes = shape.sizeBytes();
      System.out.printf(
          Locale.ROOT,
          "FIGURES round %d of %.0f MB: published at %.0f MB a second, %.1f processor ms a MB, %.1f"
              + " MB of heap; RESTORE %.0f MB a second; pipelined SETBIT %.2f MB a second%n",
          round + 1,
          bytes / 1e6,
          publish.rate(bytes),
          publish.processor / 1e6 / (bytes / 1e6),
          publish.heap / 1e6,
          restore.rate(bytes),
          setbit.rate(bytes * SETBIT_KEYS / KEYS));
    }
  }

  private void setbit(FilterShape shape) {
    SplittableRandom random = new SplittableRandom(42);
    RedisAsyncCommands<byte[], byte[]> commands = redis.asyncCommands();
    commands.getStatefulConnection().setAutoFlushCommands(false);
    for (int i = 0; i < SETBIT_KEYS * shape.hashes() / PIPELINED; i++) {
      RedisFuture<?>[] sent = new RedisFuture<?>[PIPELINED];
      for (int j = 0; j < PIPELINED; j++) {
        sent[j] = commands.setbit(COPY, random.nextLong(shape.bits()), 1);
      }
      commands.getStatefulConnection().flushCommands();
      LettuceFutures.awaitAll(1, TimeUnit.MINUTES, sent);
    }
    commands.getStatefulConnection().setAutoFlushCommands(true);
  }

  private ImageSet set(FilterShape shape) throws Exception {
    FilterPlan plan = FilterPlan.split(shape, AT_ONCE.partitions(shape));
    KeyHash hash = KeyHash.SIPHASH_1_3;
    ImagePlan images = ImagePlan.of(filter, plan, hash, SECRET, KeyFolding.EXACT, 8 << 20);
    List<ImageWriter> writers = new ArrayList<>();
    for (int i = 0; i < images.slices(); i++) {
      writers.add(new ImageWriter(images, i));
    }
    SplittableRandom random = new SplittableRandom(42);
    ImagePlan.Router router = images.router();
    for (int i = 0; i < KEYS; i++) {
      long hashed = random.nextLong();
      writers.get(router.slice(hashed)).add(hashed);
    }
    List<ImageSet.Slice> slices = new ArrayList<>();
    for (ImageWriter writer : writers) {
      slices.add(writer.write("set/" + slices.size(), new ImageDirectory(folder)));
    }
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    return new ImageSet(images, now, null, KEYS, 0, true, slices);
  }

  /** The time, processor time and live heap of some work. */
  private static final class Took {

    private final long heapBefore = live();
    private final long begun = System.nanoTime();
    private final long processorBegun = processorNanos();
    private long looking;
    private long lookingProcessor;
    private long time;
    private long processor;
    private long heap;

    /** Looks at the live heap; the look itself is not in the figures. */
    void look() {
      long at = System.nanoTime();
      long processorAt = processorNanos();
      heap = Math.max(heap, live() - heapBefore);
      looking += System.nanoTime() - at;
      lookingProcessor += processorNanos() - processorAt;
    }

    void end() {
      time = System.nanoTime() - begun - looking;
      processor = processorNanos() - processorBegun - lookingProcessor;
    }

    double rate(double bytes) {
      return bytes / 1e6 / (time / 1e9);
    }

    private static long live() {
      System.gc();
      return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long processorNanos() {
      return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
          .getProcessCpuTime();
    }
  }
}
