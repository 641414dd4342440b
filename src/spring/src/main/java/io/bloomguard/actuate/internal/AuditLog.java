package io.bloomguard.actuate.internal;

import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line for each requested change, done or refused, in the logger {@code io.bloomguard.audit}. No
 * line has a key.
 */
public final class AuditLog {

  private static final Logger log = LoggerFactory.getLogger("io.bloomguard.audit");

  private AuditLog() {}

  /**
   * Does what was asked for, and writes what came of it.
   *
   * @param <T> the type of the change's result
   * @param caller the caller that the line names
   * @param what the change, such as {@code rebuild}
   * @param filter the filter's name
   * @param change the change, run once on the calling thread; an exception is written as a refusal
   *     and thrown on
   * @param outcome what came of it, in words
   * @return the result of {@code change}
   */
  public static <T> T write(
      Caller caller, String what, String filter, Supplier<T> change, Function<T, String> outcome) {
    try {
      T done = change.get();
      log.info("{} of filter '{}' by {}: {}", what, filter, caller, outcome.apply(done));
      return done;
    } catch (RuntimeException e) {
      log.info("{} of filter '{}' by {}: refused, {}", what, filter, caller, reason(e));
      throw e;
    }
  }

  private static String reason(RuntimeException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : OneLine.of(e.getMessage());
  }
}
