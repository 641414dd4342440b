package io.bloomguard.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BuildImagesTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final Instant AS_OF = Instant.parse("2025-06-01T10:00:00Z");
  private static final int KEYS = 100_000;

  private static SparkSession spark;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2, 3]")
            .config("spark.ui.enabled", false)
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", 4)
            .getOrCreate();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private static ImagePlan plan(int partitions, int insertions) {
    FilterPlan plan = FilterPlan.split(Sizing.blocked(insertions, 0.001, 2), partitions);
    return ImagePlan.of("urls", plan, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT, 64 << 10);
  }

  private ImageJob job(ImagePlan plan, Instant asOf) {
    Duration lag = Duration.ofMinutes(10);
    return new ImageJob(plan, SECRET, folder.toString(), asOf, lag, "0/16B3748", 256, 0.001, false);
  }

  private static Dataset<Row> numbers(long count) {
    return spark.range(0, count, 1, 3).toDF("id");
  }

  private ImageSet manifest() throws IOException {
    return ImageSet.read(Files.readString(folder.resolve("latest.json"), UTF_8), SECRET);
  }

  private BlockedFilter[] read(ImageSet set) throws IOException {
    ImagePlan plan = set.plan();
    BlockedFilter[] parts = empty(plan);
    for (ImageSet.Slice slice : set.slices()) {
      slice.read(
          new ImageDirectory(folder),
          (partition, offset, words) -> parts[partition].mergeWords(offset / Long.BYTES, words));
    }
    return parts;
  }

  private static BlockedFilter[] empty(ImagePlan plan) {
    return Stream.generate(() -> new BlockedFilter(plan.part(), plan.hasher(SECRET), plan.salt()))
        .limit(plan.partitions())
        .toArray(BlockedFilter[]::new);
  }

  private static byte[] bytes(BlockedFilter filter) {
    ByteBuffer bytes = ByteBuffer.allocate((int) filter.shape().sizeBytes());
    filter.readWords(0, bytes);
    return bytes.array();
  }

  @ParameterizedTest
  @CsvSource({"1", "3"})
  void theBitsAreThoseOfTheLibrary(int partitions) throws IOException {
    ImagePlan plan = plan(partitions, KEYS);

    ImageSet set = BuildImages.build(numbers(KEYS), job(plan, AS_OF));

    BlockedFilter[] expected = empty(plan);
    for (long key = 0; key < KEYS; key++) {
      long hash = plan.hasher(SECRET).hash(key);
      expected[BlockGeometry.partition(hash, partitions)].addHash(hash);
    }
    BlockedFilter[] found = read(manifest());
    for (int i = 0; i < partitions; i++) {
      assertThat(bytes(found[i])).isEqualTo(bytes(expected[i]));
    }
    assertThat(manifest()).isEqualTo(set);
    assertThat(set.asOf()).isEqualTo(Instant.parse("2025-06-01T09:50:00Z"));
    assertThat(set.position()).isEqualTo("0/16B3748");
    assertThat(set.keys()).isEqualTo(KEYS);
  }

  @Test
  void aNumberItsTextAndItsDecimalAreOneKey() throws IOException {
    ImagePlan plan = plan(1, 1_000);
    byte[] asNumbers = bytes(read(BuildImages.build(numbers(1_000), job(plan, AS_OF)))[0]);

    for (String cast : List.of("string", "decimal(38, 0)", "int")) {
      Dataset<Row> keys = numbers(1_000).selectExpr("cast(id as " + cast + ") as id");
      assertThat(bytes(read(BuildImages.build(keys, job(plan, AS_OF)))[0]))
          .as(cast)
          .isEqualTo(asNumbers);
    }
  }

  @Test
  void aStructIsAKeyOfParts() throws IOException {
    ImagePlan plan = plan(1, 1_000);
    Dataset<Row> keys = numbers(1_000).selectExpr("struct('a:b' as tenant, id) as key");

    BlockedFilter filter = read(BuildImages.build(keys, job(plan, AS_OF)))[0];

    assertThat(filter.mightContain("a%3Ab:17")).isTrue();
    assertThat(filter.mightContain("a:b:17")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cast(id as double) as k                | cast(k as bigint)",
        "cast(id as decimal(10, 2)) as k        | cast(k as decimal(38, 0))",
        "current_date() as k                    | cast(k as string)",
        "struct(cast(id as float) as a, id) as k| cast(k.a as bigint)",
        "struct(id) as k                        | two or more",
        "array(id) as k                         | struct(a, b)"
      })
  void aTypeWithoutOneSpellingIsRefusedWithTheCastThatHelps(String column, String remedy) {
    ImageJob job = job(plan(1, 1_000), AS_OF);
    assertThatThrownBy(() -> BuildImages.build(numbers(10).selectExpr(column), job))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(remedy);
    assertThatThrownBy(() -> BuildImages.build(numbers(10).selectExpr("id", "id as b"), job))
        .hasMessageContaining("has 2 (id, b)");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void keysThatNobodyCanLookUpAreCountedAndBounded() throws IOException {
    ImagePlan plan = plan(1, 10_000);
    String some = "if(id % %d = 0, if(id % 2 = 0, null, 'a\\nb'), cast(id as string)) as k";

    Dataset<Row> few = numbers(10_000).selectExpr(some.replace("%d", "2000"));
    assertThat(BuildImages.build(few, job(plan, AS_OF)).unusable()).isEqualTo(5);

    Dataset<Row> many = numbers(10_000).selectExpr(some.replace("%d", "900"));
    assertThatThrownBy(() -> BuildImages.build(many, job(plan, AS_OF)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("12 of 10000 keys")
        .hasMessageContaining("--max-unusable");
    assertThat(manifest().unusable()).isEqualTo(5);
  }

  @Test
  void moreKeysThanExpectedAreRefusedAndTheFormerSetStays() throws IOException {
    ImagePlan plan = plan(1, 1_000);
    ImageSet former = BuildImages.build(numbers(1_000), job(plan, AS_OF));

    assertThatThrownBy(() -> BuildImages.build(numbers(2_000), job(plan, AS_OF.plusSeconds(60))))
        .hasMessageContaining("made for 1000")
        .hasMessageContaining("--allow-overfull");

    assertThat(manifest()).isEqualTo(former);
    read(manifest());
  }

  @Test
  void anOlderSetReplacesNoNewerOne() throws IOException {
    ImagePlan plan = plan(1, 1_000);
    ImageSet newer = BuildImages.build(numbers(1_000), job(plan, AS_OF));

    assertThatThrownBy(() -> BuildImages.build(numbers(10), job(plan, AS_OF.minusSeconds(1))))
        .hasMessageContaining("newer than this one's");

    assertThat(manifest()).isEqualTo(newer);
  }

  /** The replaced set may still be read; those before it go, and so does what nothing names. */
  @Test
  void olderSlicesGoAfterwards() throws IOException {
    ImagePlan plan = plan(1, 1_000);
    for (int i = 0; i < 4; i++) {
      BuildImages.build(numbers(1_000), job(plan, AS_OF.plusSeconds(i)));
    }

    try (Stream<Path> folders = Files.list(folder).filter(Files::isDirectory)) {
      assertThat(folders).hasSize(2);
    }
    read(manifest());
  }

  /** What a failed attempt has written is in no set. */
  @Test
  void tasksThatFailAndRunAgainChangeNothing() throws IOException {
    ImagePlan plan = plan(1, KEYS);
    byte[] whole = bytes(read(BuildImages.build(numbers(KEYS), job(plan, AS_OF)))[0]);
    Dataset<Row> failing =
        spark
            .range(0, KEYS, 1, 3)
            .map(
                (MapFunction<Long, Long>)
                    id -> {
                      if (id % 40_000 == 39_999 && TaskContext.get().attemptNumber() == 0) {
                        throw new IllegalStateException("the first attempt fails");
                      }
                      return id;
                    },
                Encoders.LONG())
            .toDF("id");

    ImageSet set = BuildImages.build(failing, job(plan, AS_OF));

    assertThat(set.keys()).isEqualTo(KEYS);
    assertThat(bytes(read(set)[0])).isEqualTo(whole);
  }

  /**
   * Two attempts of each task write their slice. The first, whose result is lost, cuts it short and
   * puts it again once the set is there, as an attempt does that outlives its job.
   */
  @Test
  void theManifestNamesTheFilesOfAttemptsWhoseResultsCame() throws IOException {
    ImagePlan plan = plan(1, KEYS);
    byte[] whole = bytes(read(BuildImages.build(numbers(KEYS), job(plan, AS_OF)))[0]);
    Configuration settings = spark.sparkContext().hadoopConfiguration();
    settings.set("fs.s3a.impl", LateStore.class.getName());
    LateStore.puts.clear();
    String out = "s3a://lake" + folder;
    ImageJob job = new ImageJob(plan, SECRET, out, AS_OF, Duration.ZERO, null, 256, 0.001, false);

    ImageSet set = BuildImages.build(numbers(KEYS), job);

    assertThat(LateStore.puts).hasSize(2 * plan.slices());
    List<String> named = set.slices().stream().map(ImageSet.Slice::file).toList();
    for (LateStore.Put put : LateStore.puts) {
      if (put.attempt() == 0) {
        assertThat(named).noneMatch(file -> put.file().toString().endsWith(file));
        Files.write(put.file(), new byte[8]);
      }
    }
    assertThat(manifest()).isEqualTo(set);
    assertThat(bytes(read(set)[0])).isEqualTo(whole);
  }

  /** Each has files of its own, and the manifest names those of one. */
  @Test
  void twoJobsAtOnceLeaveOneWholeSet() throws IOException {
    ImagePlan plan = plan(3, KEYS);
    List<CompletableFuture<ImageSet>> jobs =
        Stream.of(AS_OF, AS_OF.plusSeconds(1))
            .map(asOf -> CompletableFuture.supplyAsync(() -> built(numbers(KEYS), job(plan, asOf))))
            .toList();
    List<ImageSet> sets = new ArrayList<>();
    for (CompletableFuture<ImageSet> job : jobs) {
      try {
        sets.add(job.join());
      } catch (CompletionException e) {
        assertThat(e).hasMessageContaining("newer than this one's");
      }
    }
    assertThat(sets).contains(manifest());
    assertThat(manifest().keys()).isEqualTo(KEYS);
    read(manifest());
  }

  private static ImageSet built(Dataset<Row> keys, ImageJob job) {
    try {
      return BuildImages.build(keys, job);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of the tasks of a job that is to be cancelled, which run in this JVM. */
  private static final CountDownLatch BEGUN = new CountDownLatch(1);

  private static final CountDownLatch ENDED = new CountDownLatch(1);

  /** As with a driver that is killed: what was written has no manifest. */
  @Test
  void aJobThatEndsInTheMiddleLeavesTheFormerSet() throws Exception {
    ImagePlan plan = plan(3, KEYS);
    ImageSet former = BuildImages.build(numbers(KEYS), job(plan, AS_OF));
    Dataset<Row> slow =
        spark
            .range(0, KEYS, 1, 3)
            .map(
                (MapFunction<Long, Long>)
                    id -> {
                      BEGUN.countDown();
                      ENDED.await();
                      return id;
                    },
                Encoders.LONG())
            .toDF("id");
    CompletableFuture<ImageSet> job =
        CompletableFuture.supplyAsync(() -> built(slow, job(plan, AS_OF.plusSeconds(1))));
    BEGUN.await();
    spark.sparkContext().cancelAllJobs();
    try {
      assertThatThrownBy(job::join).hasMessageContaining("cancelled");
    } finally {
      ENDED.countDown();
    }
    assertThat(manifest()).isEqualTo(former);
    read(manifest());
  }

  @Test
  void sparkAndTheCoreAreAllThatItNeeds() {
    assertThatThrownBy(() -> Class.forName("org.springframework.core.SpringVersion"))
        .isInstanceOf(ClassNotFoundException.class);
  }
}
