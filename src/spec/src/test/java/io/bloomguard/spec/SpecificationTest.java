package io.bloomguard.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The specifications, each with its page of runs: TLC finds that all invariants hold, or the one
 * that a mistake violates.
 */
@Tag("thorough")
class SpecificationTest {

  private static final Logger log = LoggerFactory.getLogger(SpecificationTest.class);

  /** How long each simulation takes. */
  private static final long MINUTES = Long.getLong("spec.minutes", 1);

  /** Of the long form, one run in so many of each table is tried: its own short form. */
  private static final int SHARE = Integer.getInteger("spec.share", 1);

  /** The modules that have a page. */
  static List<Path> specifications() throws IOException {
    return modules().stream().filter(module -> Files.exists(page(module))).toList();
  }

  static List<Arguments> ofEveryBuild() throws IOException {
    return runs(Run.Form.BUILD);
  }

  static List<Arguments> ofTheLongForm() throws IOException {
    Map<String, Integer> passed = new HashMap<>();
    return runs(Run.Form.LONG).stream()
        .filter(run -> (passed.merge(table(run), 1, Integer::sum) - 1) % SHARE == 0)
        .toList();
  }

  private static String table(Arguments run) {
    return run.get()[0] + ", " + ((Run) run.get()[1]).section();
  }

  /** Under the profile {@code spec} alone. */
  static List<Arguments> ofTheirOwnProfile() throws IOException {
    return Boolean.getBoolean("spec.largest") ? runs(Run.Form.SPEC) : List.of();
  }

  private static List<Arguments> runs(Run.Form form) throws IOException {
    // One specification, or one run, to try by itself.
    Pattern only = Pattern.compile(System.getProperty("spec.only", ".*"));
    List<Arguments> runs = new ArrayList<>();
    for (Path module : specifications()) {
      for (Run run : Run.of(page(module))) {
        boolean wanted = only.matcher(name(module) + " " + run.name()).find();
        if (run.form() == form && wanted) {
          runs.add(Arguments.of(name(module), run));
        }
      }
    }
    return runs;
  }

  @ParameterizedTest(name = "{0}: {1}", allowZeroInvocations = true)
  @MethodSource("ofEveryBuild")
  void tlcFindsWhatThePageSays(String specification, Run run) throws Exception {
    check(specification, run);
  }

  @Tag("long")
  @ParameterizedTest(name = "{0}: {1}", allowZeroInvocations = true)
  @MethodSource({"ofTheLongForm", "ofTheirOwnProfile"})
  @Timeout(10_000)
  void tlcFindsWhatThePageSaysOfLongRuns(String specification, Run run) throws Exception {
    check(specification, run);
  }

  private static void check(String specification, Run run) throws Exception {
    Tlc tlc = Tlc.of(module(specification)).with(run.constants()).checking(run.finds());
    Tlc.Outcome outcome =
        (run.section().equals(Run.SIMULATION) ? tlc.simulated(MINUTES) : tlc).run();

    log.info("{}, {}: {}", specification, run, outcome);
    assertThat(outcome.violated()).as("%s", outcome.output()).isEqualTo(run.finds());
  }

  /** Of each mistake there is one run that finds it, and of no other. */
  @ParameterizedTest
  @MethodSource("specifications")
  void everyMistakeHasItsRun(Path module) throws IOException {
    List<Run> runs =
        Run.of(page(module)).stream().filter(run -> run.section().equals(Run.MISTAKES)).toList();

    assertThat(runs)
        .extracting(Run::name)
        .containsExactlyInAnyOrderElementsOf(members("Mistakes", module));
    assertThat(runs).allSatisfy(run -> assertThat(run.finds()).isNotEmpty());
  }

  /** A limit that no action reads would be found whether or not it is switched on. */
  @ParameterizedTest
  @MethodSource("specifications")
  void everyLimitIsReadAndFound(Path module) throws IOException {
    List<Run> found =
        Run.of(page(module)).stream()
            .filter(run -> !run.section().equals(Run.MISTAKES) && !run.finds().isEmpty())
            .toList();
    for (String limit : members("Limits", module)) {
      assertThat(Files.readString(module)).contains("Happens(\"" + limit + "\")");
      assertThat(found)
          .as(limit)
          .anyMatch(
              run -> run.constants().getOrDefault("NotCovered", "").equals("{\"" + limit + "\"}"));
    }
  }

  /** The strings in a set of this name. */
  private static List<String> members(String set, Path module) throws IOException {
    String text = Files.readString(module);
    return found("\"(\\w+)\"", found("(?s)\\n" + set + " ==\\s*\\{(.*?)}", text).get(0));
  }

  /**
   * The classes, methods and scripts that comments name stand in the library. A capital within a
   * word makes it the name of a class, unless a specification defines it; so does a package before
   * it.
   */
  @ParameterizedTest
  @MethodSource("modules")
  void whatCommentsNameStandsInTheCode(Path module) throws IOException {
    Map<String, Path> code = code();
    Set<String> own = new HashSet<>();
    for (Path other : modules()) {
      own.add(name(other));
      found("\\b([A-Z]\\w+)(?:\\([^)]*\\))?\\s*==", Files.readString(other)).forEach(own::add);
      found("(?m)^  ([A-Z]\\w+),", Files.readString(other)).forEach(own::add);
    }
    String comments =
        String.join("\n", found("(\\(\\*.*?\\*\\)|\\\\\\*.*)", Files.readString(module)));

    assertThat(found("\\b(\\w+\\.lua)\\b", comments)).allMatch(code::containsKey);
    for (String name : found("\\b((?:[a-z]+\\.)?[A-Z][a-z]+(?:[A-Z]\\w*)(?:\\.\\w+)?)", comments)) {
      List<String> parts = new ArrayList<>(List.of(name.split("\\.")));
      String room = Character.isLowerCase(name.charAt(0)) ? parts.remove(0) : "";
      if (room.isEmpty() && own.contains(parts.get(0))) {
        continue;
      }
      Path file = code.get(parts.get(0) + ".java");
      assertThat(file).as(name).isNotNull();
      assertThat(file.getParent().toString()).as(name).endsWith(room);
      assertThat(Files.readString(file)).as(name).contains(parts.get(parts.size() - 1));
    }
  }

  static List<Path> modules() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/spec"))) {
      return files.filter(file -> file.toString().endsWith(".tla")).sorted().toList();
    }
  }

  /** The library's sources and scripts by the names of their files. */
  private static Map<String, Path> code() throws IOException {
    Map<String, Path> code = new HashMap<>();
    for (String module : List.of("core", "redis", "spring", "changes")) {
      try (Stream<Path> files = Files.walk(Path.of("src", module, "src/main"))) {
        files.forEach(file -> code.putIfAbsent(file.getFileName().toString(), file));
      }
    }
    return code;
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .distinct()
        .toList();
  }

  private static Path module(String specification) {
    return Path.of("src/spec", specification + ".tla");
  }

  private static Path page(Path module) {
    return module.resolveSibling(name(module) + ".md");
  }

  private static String name(Path module) {
    return module.getFileName().toString().replace(".tla", "");
  }
}
