package io.bloomguard.classic.internal.subject;

import static io.bloomguard.classic.internal.subject.SubjectGenerationsTest.answers;
import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Redis loses of subjects: no key that was acknowledged is absent. */
class SubjectLossTest extends SubjectTestBase {

  private static final Duration LONG = Duration.ofMinutes(1);

  /** Which only processes can know that lived through it. */
  @Test
  void afterALossOfEverythingNoKeyIsAbsentForAsLongAsTheLostOnesLive() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    process.store.makeGood();
    redis.commands().flushall();
    assertThat(answers(process, "anna", "a", "z")).containsExactly(UNKNOWN, UNKNOWN);

    Process late = process(second, settings());
    late.store.of("bert").addAll(List.of("b"));
    ticks(process, late);

    // What is remembered was added again; of all else nothing is known.
    for (Process each : List.of(process, late)) {
      assertThat(answers(each, "anna", "a", "z")).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
      assertThat(answers(each, "bert", "b", "z")).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
      assertThat(each.isReady()).isFalse();
    }
    redis.commands().hset(process.head(), "doubt".getBytes(), "0".getBytes());
    ticks(process, late);
    assertThat(answers(late, "anna", "a", "z")).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(late.isReady()).isTrue();
  }

  @Test
  void aLostHeadOrIndexIsADoubt() {
    for (boolean head : new boolean[] {true, false}) {
      Process process = process();
      process.store.of("anna").addAll(List.of("a"));
      redis.commands().del(head ? process.head() : process.index());
      assertThat(answers(process, "anna", "z")).containsExactly(UNKNOWN);
      // Another process, which has seen nothing of it.
      Process late = process(second, settings());
      assertThat(answers(late, "anna", "z")).containsExactly(UNKNOWN);
      ticks(process, late);
      assertThat(answers(process, "anna", "a", "z")).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
      assertThat(answers(late, "anna", "a", "z")).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
      name();
    }
  }

  /** As after a failover to a replica that lacked the latest adds. */
  @Test
  void lostAddsAreAddedAgainByWhoeverMadeThem() {
    Process process = process();
    Process other = process(second, settings());
    process.store.of("anna").addAll(List.of("old"));
    redis.commands().save();
    process.store.of("anna").addAll(List.of("new"));
    process.store.of("bert").addAll(List.of("new"));
    redis.restartFromDump();

    assertThat(awaited(other, "anna", "old")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(answers(other, "anna", "new", "z")).containsExactly(UNKNOWN, UNKNOWN);
    // It alone cannot end the doubt: the other is on the list of writers.
    other.tick();
    other.tick();
    other.tick();
    assertThat(answers(other, "anna", "new", "z")).containsExactly(UNKNOWN, UNKNOWN);

    await()
        .atMost(LONG)
        .until(
            () -> {
              ticks(process, other);
              return other.isReady() && process.isReady();
            });
    assertThat(answers(other, "anna", "old", "new", "z"))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(answers(other, "bert", "new", "z")).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  /** More is lost than anybody remembers. */
  @Test
  void anOldDumpIsADoubtForAsLongAsTheLostAddsLive() {
    Process process = process();
    process.store.of("anna").addAll(List.of("old"));
    byte[] beat = "beat".getBytes();
    redis.commands().hset(process.head(), beat, Long.toString(PAST).getBytes());
    ticks(process);
    assertThat(answers(process, "anna", "old", "z")).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
    assertThat(process.isReady()).isFalse();
  }

  @Test
  void aDumpOfJustNowIsMadeGood() {
    Process process = process();
    process.store.of("anna").addAll(List.of("old"));
    long seen = process.store.register.view().beat();
    redis.commands().hset(process.head(), "beat".getBytes(), Long.toString(seen - 1).getBytes());
    process.store.heartbeat();
    assertThat(answers(process, "anna", "z")).containsExactly(UNKNOWN);
    ticks(process);
    assertThat(answers(process, "anna", "old", "z")).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  /** An add under another server must not pass before the loss is noted. */
  @Test
  void whatIsAddedFirstAfterARestartIsNotTheOnlyKeyThere() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    redis.stop();
    redis.restart();
    await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(() -> process.store.of("anna").addAll(List.of("b")) >= 0);
    assertThat(answers(process, "anna", "a", "b"))
        .doesNotContain(ABSENT)
        .contains(POSSIBLY_PRESENT);
    ticks(process);
    assertThat(answers(process, "anna", "a", "b", "z"))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, UNKNOWN);
  }

  private static Membership awaited(Process process, String subject, String key) {
    await().atMost(LONG).until(() -> answers(process, subject, key)[0] != UNKNOWN);
    return answers(process, subject, key)[0];
  }

  private static void ticks(Process... processes) {
    for (int i = 0; i < 3; i++) {
      for (Process process : processes) {
        process.tick();
      }
    }
  }
}
