package io.bloomguard.it.realinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.it.support.ServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two servers, two processes, one Redis. */
@ExtendWith(RealParts.Provider.class)
class SharedServersTest {

  private static final List<ServerProcess> SERVERS = new ArrayList<>();
  private static List<String> real;
  private static FilterClient one;
  private static FilterClient other;

  @BeforeAll
  static void start(RealParts parts) throws Exception {
    real = parts.names();
    List<String> arguments = new ArrayList<>(parts.arguments("redis"));
    arguments.addAll(ServerTest.configuration(real.size()));
    SERVERS.add(new ServerProcess("shared-one", arguments));
    SERVERS.add(new ServerProcess("shared-other", arguments));
    one = new FilterClient(SERVERS.get(0).address()).awaitReady();
    other = new FilterClient(SERVERS.get(1).address()).awaitReady();
  }

  @AfterAll
  static void stop() {
    List<Boolean> ended = SERVERS.stream().map(ServerProcess::end).toList();
    assertThat(ended).doesNotContain(false);
  }

  @Test
  void whatOneServerAddsTheOtherKnowsAtOnce() {
    List<String> added = absentAtBoth(Names.absent(real, 150, 1)).subList(0, 100);

    assertThat(one.add(added)).isPositive();

    int known = Collections.frequency(other.check(added), "POSSIBLY_PRESENT");
    System.out.printf(
        "RESULT two servers, one Redis: %d of %d keys added at one were POSSIBLY_PRESENT at the"
            + " other%n",
        known, added.size());
    assertThat(known).isEqualTo(added.size());
    assertThat(one.check(added)).containsOnly("POSSIBLY_PRESENT");
  }

  @Test
  void aRebuildAtOneServerIsServedByBothWhichAnswerMeanwhile() throws Exception {
    List<String> added = absentAtBoth(Names.absent(real, 150, 2)).subList(0, 100);
    other.add(added);
    long before = one.generation();
    assertThat(other.generation()).isEqualTo(before);
    List<String> asked = new ArrayList<>(real.subList(0, 900));
    asked.addAll(added);
    Load loadOfOne = new Load(one, asked);
    Load loadOfOther = new Load(other, asked);
    try {
      loadOfOne.awaitAnswers(1);
      loadOfOther.awaitAnswers(1);

      one.rebuild();

      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () -> {
                assertThat(one.generation()).isGreaterThan(before);
                assertThat(other.generation()).isEqualTo(one.generation());
              });
      // Answers of the new generation too.
      loadOfOne.awaitAnswers(loadOfOne.answers() + 2);
      loadOfOther.awaitAnswers(loadOfOther.answers() + 2);
    } finally {
      loadOfOne.stop();
      loadOfOther.stop();
    }

    System.out.printf(
        "RESULT two servers, one Redis: rebuilt at one, generation %d to %d at both; meanwhile %d +"
            + " %d batches of %d keys answered %s%n",
        before,
        other.generation(),
        loadOfOne.answers(),
        loadOfOther.answers(),
        asked.size(),
        loadOfOne.seen());
    assertThat(loadOfOne.seen()).containsExactly("POSSIBLY_PRESENT");
    assertThat(loadOfOther.seen()).containsExactly("POSSIBLY_PRESENT");
    assertThat(one.check(real)).containsOnly("POSSIBLY_PRESENT");
    assertThat(other.check(real)).containsOnly("POSSIBLY_PRESENT");
  }

  private static List<String> absentAtBoth(List<String> names) {
    List<String> atOne = one.check(names);
    assertThat(other.check(names)).isEqualTo(atOne);
    List<String> absent = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (atOne.get(i).equals("ABSENT")) {
        absent.add(names.get(i));
      }
    }
    return absent;
  }

  /** Asks a server for the same keys, again and again. */
  private static final class Load {

    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicInteger answers = new AtomicInteger();
    private final CompletableFuture<Set<String>> seen;

    Load(FilterClient server, List<String> keys) {
      seen =
          CompletableFuture.supplyAsync(
              () -> {
                Set<String> results = new HashSet<>();
                while (!stopped.get()) {
                  results.addAll(server.check(keys));
                  answers.incrementAndGet();
                }
                return results;
              },
              runnable -> new Thread(runnable, "load").start());
    }

    int answers() {
      return answers.get();
    }

    void awaitAnswers(int count) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> seen.isCompletedExceptionally() || answers.get() >= count);
    }

    void stop() {
      stopped.set(true);
    }

    /** All answers that were given. Fails as the load did. */
    Set<String> seen() throws Exception {
      return seen.get(1, TimeUnit.MINUTES);
    }
  }
}
