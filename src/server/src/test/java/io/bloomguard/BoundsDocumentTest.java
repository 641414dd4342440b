package io.bloomguard;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of docs/bounds.md: nothing that can grow or wait is missing there. */
class BoundsDocumentTest {

  private static final Path PAGE = Path.of("docs/bounds.md");

  /** A field that is made to hold what comes, to be waited for, or to run what comes. */
  private static final Pattern GROWS =
      Pattern.compile(
          "^ {2,4}(?:(?:private|protected|public|static|final|volatile) )+(?:"
              + "[A-Z][\\w.]*(?:<[^=;{(]*>)?(?: @Nullable)? \\w+\\s*=\\s*(?:"
              + "new (?:Concurrent\\w+|CopyOnWrite\\w+|(?:Linked|Weak|Identity)?Hash(?:Map|Set)"
              + "|Tree(?:Map|Set)|EnumMap|Array(?:List|Deque)|Linked(?:List|\\w*Deque))\\b"
              + "|ConcurrentHashMap\\.newKeySet)"
              + "|(?:Semaphore|CountDownLatch|Condition|\\w*Lock|\\w*Executor(?:Service)?"
              + "|\\w*ThreadPool\\w*|\\w*Queue|Cache(?=<)|ConcurrentMap|ThreadLocal)(?:<[^=;{(]*>)?"
              + " \\w+\\s*[;=])",
          Pattern.MULTILINE);

  private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\b");
  private static final Pattern CLASS = Pattern.compile("\\b([A-Z]\\w+)\\b");

  @Test
  void everyClassThatKeepsSomethingIsThere() throws IOException {
    Set<String> named = found(CLASS, Files.readString(PAGE));
    Set<String> missing = new TreeSet<>();
    for (Path file : ModuleSources.files(ModuleSources.main())) {
      String name = name(file);
      if (GROWS.matcher(Files.readString(file)).find() && !named.contains(name)) {
        missing.add(name);
      }
    }
    assertThat(missing).as("classes whose bounds docs/bounds.md does not tell").isEmpty();
  }

  @Test
  void everyTestOfABoundExists() throws IOException {
    Set<String> tests = new TreeSet<>();
    for (Path file : ModuleSources.files(ModuleSources.tests())) {
      tests.add(name(file));
    }
    for (Path file : ModuleSources.files(List.of(Path.of("src/it")))) {
      tests.add(name(file));
    }
    assertThat(tests).containsAll(found(TEST, Files.readString(PAGE)));
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult result) -> result.group(1))
        .collect(toCollection(TreeSet::new));
  }

  private static String name(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }
}
