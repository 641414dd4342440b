package io.bloomguard.it.faults.feed;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.it.faults.shop.CommandLoop;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the harness may ask a shop that only reads. */
@Component
class Looks implements CommandLoop.Answers {

  private static final String FAILED = "failed";

  private final BloomGuards guards;
  private final JdbcClient jdbc;
  private final MeterRegistry meters;

  Looks(BloomGuards guards, JdbcClient jdbc, MeterRegistry meters) {
    this.guards = guards;
    this.jdbc = jdbc;
    this.meters = meters;
  }

  @Override
  public String answer(String line) {
    String[] words = line.split(" ");
    try {
      return switch (words[0]) {
        case "look" -> look(words[1], Long.parseLong(words[2]), codes(words[3]));
        case "check" -> letters(guards.guard(words[1], String.class), codes(words[2]));
        case "applied" -> applied(words[1]);
        default -> throw new IllegalArgumentException("unknown command");
      };
    } catch (Exception e) {
      return "failed " + e.getClass().getSimpleName() + ": " + e.getMessage();
    }
  }

  /** Three words: the letter of an absent key, those of the others, and their values after that. */
  private String look(String filter, long absent, List<Long> codes) {
    BloomGuard<String> guard = guards.guard(filter, String.class);
    String decides = letters(guard, List.of(absent));
    List<String> values = new ArrayList<>();
    boolean waits = true;
    for (long code : codes) {
      // A database that does not answer would take its time for each.
      String value = waits ? value(guard, code) : FAILED;
      waits = !value.equals(FAILED);
      values.add(value);
    }
    return decides + " " + letters(guard, codes) + " " + String.join(",", values);
  }

  private static String letters(BloomGuard<String> guard, List<Long> codes) {
    StringBuilder letters = new StringBuilder();
    for (Membership answer : guard.checkAll(codes)) {
      letters.append(answer.name().charAt(0));
    }
    return letters.toString();
  }

  private String value(BloomGuard<String> guard, long code) {
    try {
      String value = guard.get(code, () -> version(code));
      return value == null ? "null" : value;
    } catch (Exception e) {
      return FAILED;
    }
  }

  private String version(long code) {
    return jdbc.sql("select version from items where code = ?")
        .param(code)
        .query(String.class)
        .optional()
        .orElse(null);
  }

  /** How many changes this process has applied: only one that reads applies any. */
  private String applied(String filter) {
    double sum =
        meters.find("bloomguard.changes.applied").tag("filter", filter).functionCounters().stream()
            .mapToDouble(FunctionCounter::count)
            .sum();
    return Long.toString((long) sum);
  }

  private static List<Long> codes(String word) {
    return Arrays.stream(word.split(",")).map(Long::valueOf).toList();
  }
}
