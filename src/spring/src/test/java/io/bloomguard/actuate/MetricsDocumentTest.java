package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/metrics.md} names every meter with its type, unit, tags and their values, and no
 * other, and begins its meaning as {@link MeterTable} does.
 */
class MetricsDocumentTest {

  private static final Path DOCUMENT = Path.of("docs/metrics.md");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @Test
  void theDocumentAndTheRegistryHaveTheSameMeters() throws IOException {
    assertThat(documented()).isEqualTo(registered());
  }

  /** What a row says, of every row whose first cell is a meter. */
  private static Map<String, Described> documented() throws IOException {
    Map<String, Described> meters = new TreeMap<>();
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (line.startsWith("| `bloomguard.")) {
        String[] cells = line.substring(1).split("\\|", -1);
        Described before =
            meters.put(
                code(cells[0]).get(0),
                new Described(
                    code(cells[1]).get(0), cells[2].strip(), cells[3].strip(), tags(cells[4])));
        assertThat(before).as("an earlier row like " + line).isNull();
        String meaning = LINK.matcher(cells[5].strip()).replaceAll("$1").replace("`", "");
        assertThat(meaning).startsWith(MeterTable.of(code(cells[0]).get(0)).text());
      }
    }
    return meters;
  }

  /**
   * From {@code `filter`, `kind`: `configured`, `expected`}, where each tag has a line of its own.
   */
  private static Map<String, Set<String>> tags(String cell) {
    Map<String, Set<String>> tags = new TreeMap<>();
    for (String line : cell.split("<br>", -1)) {
      var words = code(line);
      tags.put(words.get(0), new TreeSet<>(words.subList(1, words.size())));
    }
    return tags;
  }

  private static List<String> code(String text) {
    Matcher matcher = CODE.matcher(text);
    return matcher.results().map((MatchResult found) -> found.group(1)).toList();
  }

  private Map<String, Described> registered() {
    BloomTimers timers = new BloomTimers(registry);
    TestFilters local =
        new TestFilters()
            .with(
                "local",
                UnknownPolicy.OPEN,
                sink -> {},
                Runnable::run,
                timers.rebuildListener("local"),
                timers.guardListener("local"));
    local.fed("fed");
    BloomMeters ofLocal = new BloomMeters(local.operated());
    BloomMeters ofShared =
        new BloomMeters(new TestFilters().over("shared", inRedis(local)).operated());
    try {
      ofLocal.bindTo(registry);
      ofShared.bindTo(registry);
      return registry.getMeters().stream()
          .collect(
              Collectors.groupingBy(
                  meter -> meter.getId().getName(),
                  TreeMap::new,
                  Collectors.collectingAndThen(Collectors.toList(), this::described)));
    } finally {
      Reference.reachabilityFence(ofLocal);
      Reference.reachabilityFence(ofShared);
    }
  }

  private Described described(List<Meter> meters) {
    Meter.Id id = meters.get(0).getId();
    Map<String, Set<String>> tags = new TreeMap<>();
    for (Meter meter : meters) {
      for (Tag tag : meter.getId().getTags()) {
        tags.computeIfAbsent(tag.getKey(), key -> new TreeSet<>()).add(tag.getValue());
      }
    }
    // Its values are the application's.
    tags.put("filter", Set.of());
    return new Described(
        exported(id),
        id.getType().name().toLowerCase(Locale.ROOT).replace('_', ' '),
        id.getBaseUnit() == null ? "" : id.getBaseUnit(),
        tags);
  }

  private String exported(Meter.Id id) {
    String name = id.getConventionName(registry.config().namingConvention());
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith("# TYPE " + name))
        .map(line -> line.split(" ", 4)[2])
        .filter(type -> type.equals(name) || type.equals(name + "_total"))
        .findFirst()
        .orElseThrow();
  }

  private static ReplicatedStore inRedis(TestFilters local) {
    FilterStore store = local.operated().find("local").orElseThrow().filter().store();
    return (ReplicatedStore)
        Proxy.newProxyInstance(
            ReplicatedStore.class.getClassLoader(),
            new Class<?>[] {ReplicatedStore.class, SubjectFilters.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "replicaLagSeconds" -> 0.0;
                  case "copyWaits" -> ReplicatedStore.CopyWaits.NONE;
                  case "window" ->
                      new WindowStatus(new Window(Duration.ofMinutes(1), 2), 1, 0, 0, 0);
                  case "totals" -> new SubjectTotals(0, 0, 0, 0, 0, 0, 0, 0);
                  default -> method.invoke(store, arguments);
                });
  }

  /**
   * A meter as the document describes it.
   *
   * @param exported its name in Prometheus
   * @param tags the values of each, none where they are the application's
   */
  private record Described(
      String exported, String type, String unit, Map<String, Set<String>> tags) {}
}
