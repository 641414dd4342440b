package io.bloomguard.it.console;

import io.bloomguard.it.support.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The browser that is installed here. Without one the tests are skipped, unless it is required. */
final class Chromium implements ExecutionCondition {

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");

  private static final String MISSING =
      "There is no chromium on the path: install one (apt-get install chromium), or name one by"
          + " -Dconsole.chromium=";

  /** Where it is, if it is. */
  static Optional<Path> path() {
    String named = System.getProperty("console.chromium", "");
    return named.isEmpty()
        ? NAMES.stream().flatMap(name -> Program.find(name).stream()).map(Program::file).findFirst()
        : Optional.of(Path.of(named)).filter(Files::isExecutable);
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (path().isPresent()) {
      return ConditionEvaluationResult.enabled("chromium is here");
    }
    if (Boolean.getBoolean("console.required")) {
      throw new IllegalStateException(MISSING);
    }
    System.out.println("RESULT console skipped: " + MISSING);
    return ConditionEvaluationResult.disabled(MISSING);
  }
}
