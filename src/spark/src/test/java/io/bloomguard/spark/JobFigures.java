package io.bloomguard.spark;

import com.sun.management.OperatingSystemMXBean;
import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.internal.ParallelFill;
import io.bloomguard.image.ImagePlan;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The figures of docs/scale.md that the job makes, beside the library's own build of the same keys
 * in the same process. Not part of any build: {@code -Dtest=JobFigures} runs it.
 */
class JobFigures {

  private static final int KEYS = Integer.getInteger("figures.keys", 10_000_000);
  private static final int ROUNDS = 3;
  private static final int BATCH = 4_096;
  private static final String PREFIX = "https://www.example.com/articles/";
  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");

  @TempDir Path folder;

  @Test
  void keysAProcessorSecondAndBytesOfTheShuffle() throws Exception {
    FilterPlan plan = FilterPlan.split(FilterPlan.redis(KEYS, 1e-4).whole(), 2);
    ImagePlan images =
        ImagePlan.of(
            "urls", plan, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT, ImagePlan.SLICE_BYTES);
    AtomicLong shuffled = new AtomicLong();
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .getOrCreate()) {
      spark
          .sparkContext()
          .addSparkListener(
              new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd task) {
                  shuffled.addAndGet(task.taskMetrics().shuffleWriteMetrics().bytesWritten());
                }
              });
      for (int round = 0; round < ROUNDS; round++) {
        shuffled.set(0);
        long begun = processorNanos();
        job(spark, images, round);
        long job = processorNanos() - begun;
        begun = processorNanos();
        library(images);
        long own = processorNanos() - begun;
        System.out.printf(
            Locale.ROOT,
            "FIGURES round %d of %d: the job %.2f, the library %.2f million keys a processor"
                + " second: %.2f times; %.2f bytes a key shuffled%n",
            round + 1,
            ROUNDS,
            KEYS * 1e3 / job,
            KEYS * 1e3 / own,
            (double) job / own,
            (double) shuffled.get() / KEYS);
      }
    }
  }

  private void job(SparkSession spark, ImagePlan images, int round) throws Exception {
    Dataset<Row> urls =
        spark.range(0, KEYS, 1, 8).selectExpr("concat('" + PREFIX + "', id) as url");
    String out = folder.resolve("round-" + round).toString();
    Instant now = Instant.parse("2025-06-01T00:00:00Z");
    BuildImages.build(
        urls, new ImageJob(images, SECRET, out, now, Duration.ZERO, null, 256, 0, false));
  }

  /** As a build of the library fills its partitions: two threads, batches of keys. */
  private static void library(ImagePlan images) {
    List<BlockedFill> fills = new ArrayList<>();
    for (int i = 0; i < images.partitions(); i++) {
      fills.add(
          new BlockedFill(new BlockedFilter(images.part(), images.hasher(SECRET), images.salt())));
    }
    KeyRules rules = new KeyRules(256, KeyFolding.EXACT);
    try (ParallelFill fill = new ParallelFill(images.hasher(SECRET), fills, 1)) {
      String[] batch = new String[BATCH];
      int count = 0;
      for (int id = 0; id < KEYS; id++) {
        String key = PREFIX + id;
        if (rules.accepts(key)) {
          batch[count++] = key;
        }
        if (count == BATCH) {
          fill.addAll(batch, count);
          count = 0;
        }
      }
      fill.addAll(batch, count);
      fill.finish();
    }
  }

  private static long processorNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
