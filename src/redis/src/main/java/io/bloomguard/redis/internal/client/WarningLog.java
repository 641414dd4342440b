package io.bloomguard.redis.internal.client;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a filter's warnings: each once, from its first or second look until it is over. Used
 * by one thread at a time.
 */
public final class WarningLog {

  private static final Logger log = LoggerFactory.getLogger(WarningLog.class);

  private final String filter;
  private final Set<String> told = new HashSet<>();

  /** The problem of the link when last looked at: one of a moment is not logged. */
  private Set<String> passing = Set.of();

  /**
   * Nothing is logged yet.
   *
   * @param filter the filter's name
   */
  public WarningLog(String filter) {
    this.filter = filter;
  }

  /**
   * Logs the warnings that are new.
   *
   * @param problems of links, which count from the second look on
   */
  public void look(List<String> problems, List<String> warnings) {
    for (String problem : problems) {
      if (passing.contains(problem)) {
        tell(problem);
      }
    }
    warnings.stream().filter(warning -> !problems.contains(warning)).forEach(this::tell);
    passing = Set.copyOf(problems);
    told.removeIf(past -> !problems.contains(past) && !warnings.contains(past));
  }

  private void tell(String warning) {
    if (told.add(warning)) {
      log.warn("Filter '{}': {}", filter, warning);
    }
  }
}
