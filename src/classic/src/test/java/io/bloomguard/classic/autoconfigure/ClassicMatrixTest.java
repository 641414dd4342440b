package io.bloomguard.classic.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildRefusedException;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.SettledHeads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Every cell of the table of docs/classic.md is as the table says. */
@Tag("redis")
@Tag("thorough")
@Tag("long")
class ClassicMatrixTest {

  private static final String SECRET = "000102030405060708090a0b0c0d0e0f";
  private static final Map<String, List<String>> FILTERS = filters();

  /** The names of filters in Redis, one a cell; the others get theirs from {@link #NAMES}. */
  private static final Queue<String> SETTLED =
      IntStream.range(0, 20)
          .mapToObj(i -> "settled" + i)
          .collect(Collectors.toCollection(ArrayDeque::new));

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static EmbeddedRedis redis;

  @TempDir private Path directory;

  private String name = "cell" + NAMES.incrementAndGet();

  private static Map<String, List<String>> filters() {
    Map<String, List<String>> filters = new LinkedHashMap<>();
    filters.put("`local`, `blocked`", List.of("backend=local"));
    filters.put("`local`, `guava`", List.of("backend=local", "layout=guava"));
    filters.put("`local`, `counting`", List.of("backend=local", "layout=counting"));
    filters.put("`redis`, `blocked`", List.of("backend=redis"));
    filters.put("`redis`, `counting`", List.of("backend=redis", "layout=counting"));
    filters.put(
        "`redis-bloom`", List.of("backend=redis-bloom", "bloom.key-form=raw", "bloom.key=shared"));
    filters.put(
        "`redis-bitmap`",
        List.of(
            "backend=redis-bitmap",
            "bitmap.key=rptc",
            "bitmap.bits=100000",
            "bitmap.hashes=bkdr,sdbm,js",
            "bitmap.create=true"));
    return filters;
  }

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    SettledHeads.of(redis, HashSecret.parse(SECRET), SETTLED.toArray(new String[0]));
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  static List<Arguments> cells() throws IOException {
    List<List<String>> rows =
        Files.readAllLines(Path.of("docs/classic.md")).stream()
            .dropWhile(line -> !line.startsWith("| filter |"))
            .takeWhile(line -> line.startsWith("|"))
            .filter(line -> line.startsWith("| "))
            .map(line -> Arrays.stream(line.split("\\|")).map(String::strip).skip(1).toList())
            .toList();
    List<String> columns = rows.get(0);
    return rows.stream()
        .skip(1)
        .flatMap(
            row ->
                Stream.iterate(1, i -> i + 1)
                    .limit(columns.size() - 1)
                    .map(i -> Arguments.of(row.get(0), columns.get(i), row.get(i))))
        .toList();
  }

  @Test
  void theTableHasEveryFilter() throws IOException {
    assertThat(cells().stream().map(cell -> cell.get()[0]).distinct())
        .containsExactlyElementsOf(FILTERS.keySet());
  }

  @ParameterizedTest(name = "{0} with {1}: {2}")
  @MethodSource("cells")
  void isAsTheTableSays(String filter, String feature, String cell) throws IOException {
    if (filter.startsWith("`redis`, ")) {
      name = SETTLED.remove();
    }
    switch (feature) {
      case "`rebuild`" -> running(filter, "source", this::rebuilds, cell);
      case "`rollback`" -> running(filter, "source", this::rollsBack, cell);
      case "removal" -> running(filter, "removal", this::removes, cell);
      default -> starts(filter, feature.replace("`", ""), cell);
    }
  }

  private void starts(String filter, String feature, String cell) throws IOException {
    ApplicationContextRunner application = application(filter, feature);
    if (cell.equals("refused")) {
      FailureAnalysis refusal = Wiring.failure(application);
      String property = feature.replace("reject: present", "reject");
      assertThat(refusal.getDescription()).contains(name).containsIgnoringCase(property);
      assertThat(refusal.getAction()).isNotBlank();
    } else {
      assertThat(cell).isEqualTo("yes");
      application.run(context -> assertThat(context).hasNotFailed());
    }
  }

  private void running(String filter, String feature, Cell check, String cell) throws IOException {
    boolean shared = filter.startsWith("`redis-bitmap`") || filter.equals("`redis-bloom`");
    ApplicationContextRunner application = application(filter, shared ? "nothing" : feature);
    running(application, check, cell);
  }

  private static void running(ApplicationContextRunner application, Cell check, String cell) {
    application.run(
        context -> {
          assertThat(context).hasNotFailed();
          check.check(context, cell);
        });
  }

  private void rebuilds(ApplicationContext context, String cell) {
    ManagedFilter filter = filter(context);
    if (cell.equals("409")) {
      assertThatThrownBy(() -> filter.requestRebuild(RebuildTrigger.REQUEST))
          .isInstanceOf(RebuildRefusedException.class);
    } else {
      rebuild(filter);
    }
  }

  private void rollsBack(ApplicationContext context, String cell) {
    ManagedFilter filter = filter(context);
    if (cell.equals("yes")) {
      rebuild(filter);
    }
    assertThat(filter.rollback()).isEqualTo(cell.equals("yes"));
  }

  private void removes(ApplicationContext context, String cell) {
    BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard(name);
    if (cell.equals("yes")) {
      guard.put("k");
    }
    // The API answers 409 where the layout cannot.
    assertThat(guard.removeAll(List.of("k", "absent"))).isEqualTo(cell.equals("yes") ? 1 : 0);
    assertThat(cell).isIn("yes", "409");
  }

  private static void rebuild(ManagedFilter filter) {
    await().atMost(Duration.ofMinutes(1)).until(() -> filter.status().state() == FilterState.READY);
    long before = filter.status().generation();
    // What serves is published a moment before its build is over.
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptionsMatching(ClassicMatrixTest::isStillRunning)
        .until(() -> filter.requestRebuild(RebuildTrigger.REQUEST) != null);
    await().atMost(Duration.ofMinutes(1)).until(() -> filter.status().generation() > before);
  }

  private static boolean isStillRunning(Throwable refusal) {
    return refusal instanceof RebuildRefusedException refused
        && refused.reason() == RebuildRefusedException.Reason.RUNNING;
  }

  private ManagedFilter filter(ApplicationContext context) {
    return context.getBean(OperatedFilters.class).find(name).orElseThrow().filter();
  }

  private ApplicationContextRunner application(String filter, String feature) throws IOException {
    String prefix = "bloomguard.filters." + name + ".";
    List<String> properties =
        Stream.of(FILTERS.get(filter), added(filter, feature))
            .flatMap(List::stream)
            .map(property -> prefix + property)
            .toList();
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "bloomguard.redis.command-timeout=5s",
            "bloomguard.hash-secret=" + SECRET,
            prefix + "expected-insertions=1000",
            prefix + "rebuild.cooldown=1ms")
        .withPropertyValues(properties.toArray(new String[0]));
  }

  /** What turns a feature on, and a source that says so where there is none. */
  private List<String> added(String filter, String feature) throws IOException {
    String source =
        filter.startsWith("`redis-bitmap`") || filter.equals("`redis-bloom`")
            ? "mode=enforce"
            : "source.added-only=true";
    return switch (feature) {
      case "source" -> {
        Path keys = Files.writeString(directory.resolve("keys.txt"), "a\nb\n");
        yield List.of("source.file.path=" + keys);
      }
      case "snapshot" -> List.of(source, "warm-up.snapshot=" + directory.resolve("filter.bin"));
      case "replica" -> List.of(source, "replica.enabled=true");
      case "window" -> List.of("window.length=10m", "window.count=6");
      case "per-subject" -> List.of("per-subject.ttl=7d");
      case "reject: present" -> List.of(source, "reject=present", "on-unknown=open");
      default -> List.of(source);
    };
  }

  /** What is true of a running filter where its cell says so. */
  private interface Cell {

    void check(ApplicationContext context, String cell);
  }
}
