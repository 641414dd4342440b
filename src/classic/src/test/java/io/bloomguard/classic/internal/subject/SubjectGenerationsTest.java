package io.bloomguard.classic.internal.subject;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters of subjects in a real Redis. */
class SubjectGenerationsTest extends SubjectTestBase {

  @Test
  void eachSubjectHasKeysOfItsOwn() {
    Process process = process();
    assertThat(process.store.status().state()).isEqualTo(FilterState.READY);
    assertThat(process.store.of("anna").addAll(List.of("a", "b"))).isEqualTo(2);
    assertThat(process.store.of("anna").addAll(List.of("a", "c"))).isEqualTo(1);
    process.store.of("bert").addAll(List.of("d"));

    Process other = process(second, settings());
    assertThat(answers(other, "anna", "a", "b", "c", "d"))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(answers(other, "bert", "a", "d")).containsExactly(ABSENT, POSSIBLY_PRESENT);
    assertThat(other.store.check("a")).isEqualTo(UNKNOWN);
  }

  @Test
  void manyKeysGoInSeveralScripts() {
    Process process = process();
    List<String> keys = IntStream.range(0, 950).mapToObj(i -> "key-" + i).toList();
    assertThat(process.store.of("anna").addAll(keys)).isEqualTo(950);
    assertThat(process.store.of("anna").checkAll(keys)).containsOnly(POSSIBLY_PRESENT);
    List<String> others = IntStream.range(0, 10_000).mapToObj(i -> "other-" + i).toList();
    assertThat(process.store.of("anna").checkAll(others)).doesNotContain(UNKNOWN).contains(ABSENT);
  }

  @Test
  void onlyAnAddMakesAFilter() {
    Process process = process();
    assertThat(answers(process, "anna", "a")).containsExactly(UNKNOWN);
    assertThat(process.store.explain("anna", "a").membership()).isEqualTo(UNKNOWN);
    assertThat(redis.commands().exists(process.image("anna"), process.index())).isZero();

    Process byChoice = process(second, settings(10, 1L << 30, true));
    assertThat(answers(byChoice, "anna", "a")).containsExactly(ABSENT);
  }

  /** Another sample would otherwise be drawn only after seconds. */
  @Test
  void theFirstSubjectShowsAfterAnEmptySample() {
    Process process = process();
    process.tick();
    assertThat(process.store.totals().sampled()).isZero();

    process.store.of("anna").addAll(List.of("a"));
    process.tick();

    assertThat(process.store.totals().sampled()).isEqualTo(1);
  }

  @Test
  void atTheBoundANewSubjectIsRefusedAndNothingGoes() {
    Process process = process(first, settings(3, 1L << 30, false));
    for (String subject : List.of("anna", "bert", "carl")) {
      process.store.of(subject).addAll(List.of("a"));
    }
    assertThatThrownBy(() -> process.store.of("dora").addAll(List.of("a")))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL)
        .hasMessageContaining("has 3, the bound of bloomguard.filters." + filter)
        .hasMessageContaining("per-subject.max-subjects")
        .hasMessageNotContaining("dora")
        .satisfies(
            e ->
                assertThat(((AddFailedException) e).retryAfter())
                    .isBetween(TTL.minusHours(1), TTL));
    for (String subject : List.of("anna", "bert", "carl")) {
      assertThat(answers(process, subject, "a", "z")).containsExactly(POSSIBLY_PRESENT, ABSENT);
    }
    assertThat(answers(process, "dora", "a")).containsExactly(UNKNOWN);
    assertThat(process.store.of("bert").addAll(List.of("b"))).isEqualTo(1);

    process.end("carl");
    assertThat(process.store.of("dora").addAll(List.of("a"))).isEqualTo(1);
    assertThat(redis.commands().zcard(process.index())).isEqualTo(3);
  }

  @Test
  void theBytesAreABoundToo() {
    long room = 2 * SubjectSettings.bytesOfSubject(SHAPE);
    Process process = process(first, settings(1000, room, false));
    process.store.of("anna").addAll(List.of("a"));
    process.store.of("bert").addAll(List.of("a"));
    assertThatThrownBy(() -> process.store.of("carl").addAll(List.of("a")))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL)
        .hasMessageContaining("per-subject.max-bytes");
    process.store.heartbeat();
    SubjectTotals totals = process.store.totals();
    assertThat(totals.count()).isEqualTo(2);
    assertThat(totals.bytes()).isEqualTo(room);
    assertThat(totals.maxCount()).isEqualTo(2);
  }

  @Test
  void afterItsTimeASubjectIsUnknown() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    process.end("anna");
    assertThat(answers(process, "anna", "a", "b")).containsExactly(UNKNOWN, UNKNOWN);

    assertThat(process.store.of("anna").addAll(List.of("b"))).isEqualTo(1);
    assertThat(answers(process, "anna", "a", "b")).containsExactly(ABSENT, POSSIBLY_PRESENT);
  }

  @Test
  void everyAddProlongsTheTimeOfAllKeys() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    long soon = System.currentTimeMillis() + 60_000;
    redis.commands().zadd(process.index(), soon, process.member("anna"));
    redis.commands().pexpireat(process.image("anna"), soon);

    assertThat(process.store.of("anna").addAll(List.of("a"))).isZero();
    assertThat(redis.commands().pttl(process.image("anna")))
        .isBetween(TTL.minusMinutes(1).toMillis(), TTL.toMillis());
    assertThat(redis.commands().zscore(process.index(), process.member("anna")))
        .isGreaterThan(soon);
  }

  /** It would deny what was added before. */
  @Test
  void aLostImageIsNotMadeAnewAsIfNothingHadBeenInIt() {
    for (boolean absent : new boolean[] {false, true}) {
      Process process = process(first, settings(10, 1L << 30, absent));
      process.store.of("anna").addAll(List.of("a", "b"));
      redis.commands().del(process.image("anna"));
      assertThat(answers(process, "anna", "a")).containsExactly(UNKNOWN);

      assertThat(process.store.of("anna").addAll(List.of("c"))).as("told as new").isZero();
      assertThat(answers(process, "anna", "a", "b", "c"))
          .containsExactly(UNKNOWN, UNKNOWN, POSSIBLY_PRESENT);
      assertThat(redis.commands().zcard(process.index())).isOne();

      // Once the lost keys' time is over, what is there is all there is.
      redis.commands().setrange(process.image("anna"), 40, new byte[Long.BYTES]);
      assertThat(answers(process, "anna", "a", "c")).containsExactly(ABSENT, POSSIBLY_PRESENT);
      name();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"truncated", "longer", "foreign", "another subject's"})
  void whatIsNotTheSubjectsImageIsUnknown(String damage) {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    process.store.of("bert").addAll(List.of("b"));
    byte[] image = process.image("anna");
    byte[] whole = redis.commands().get(image);
    switch (damage) {
      case "truncated" -> redis.commands().set(image, Arrays.copyOf(whole, 700));
      case "longer" -> redis.commands().append(image, new byte[1]);
      case "foreign" -> redis.commands().set(image, new byte[whole.length]);
      default -> redis.commands().set(image, redis.commands().get(process.image("bert")));
    }
    assertThat(answers(process, "anna", "a", "z")).containsExactly(UNKNOWN, UNKNOWN);
    assertThat(process.store.explain("anna", "a").reason()).contains("damaged");

    process.store.of("anna").addAll(List.of("c"));
    assertThat(answers(process, "anna", "a", "c")).containsExactly(UNKNOWN, POSSIBLY_PRESENT);
    assertThat(answers(process, "bert", "b", "z")).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"head", "index", "writers", "image"})
  void dataOfAnotherProgramIsNeverTouched(String place) {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    byte[] taken =
        switch (place) {
          case "head" -> process.head();
          case "index" -> process.index();
          case "writers" -> process.writers();
          default -> process.image("anna");
        };
    redis.commands().del(taken);
    redis.commands().lpush(taken, "of another program".getBytes(US_ASCII));
    anotherProgramsDataStays(process, taken, place.equals("image"));
  }

  @Test
  void aHashOfAnotherProgramIsNeverTouched() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    redis.commands().del(process.head());
    redis.commands().hset(process.head(), "theirs".getBytes(US_ASCII), "1".getBytes(US_ASCII));
    anotherProgramsDataStays(process, process.head(), false);
  }

  private void anotherProgramsDataStays(Process process, byte[] taken, boolean ofOneSubject) {
    byte[] before = redis.commands().dump(taken);
    Process late = new Process(second, settings());
    for (Process each : List.of(process, late)) {
      each.tick();
      assertThat(answers(each, "anna", "z")).containsExactly(UNKNOWN);
      assertThatThrownBy(() -> each.store.of("anna").addAll(List.of("b")))
          .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FOREIGN)
          .hasMessageContaining("never changed or deleted")
          .hasMessageNotContaining("anna");
      each.tick();
      each.store.enforcement().disarm();
      assertThat(each.isReady()).isEqualTo(ofOneSubject);
      assertThat(each.store.warnings()).hasSize(ofOneSubject ? 0 : 1);
    }
    assertThat(redis.commands().dump(taken)).isEqualTo(before);

    redis.commands().del(taken);
    process.tick();
    assertThat(process.store.warnings()).isEmpty();
    process.store.of("anna").addAll(List.of("b"));
    assertThat(answers(process, "anna", "b")).containsExactly(POSSIBLY_PRESENT);
    assertThat(answers(process, "anna", "a")).doesNotContain(ABSENT);
  }

  /** What is remembered can only be added again once there is a place for it. */
  @Test
  void aSubjectWhoseImageIsTakenKeepsTheDoubtAfterALoss() {
    Process process = process(first, settings(10, 1L << 30, true));
    process.store.of("anna").addAll(List.of("a"));
    redis.commands().del(process.index(), process.image("anna"));
    redis.commands().lpush(process.image("anna"), "x".getBytes(US_ASCII));
    redis.commands().hset(process.head(), "doubt".getBytes(US_ASCII), "0".getBytes(US_ASCII));
    process.tick();
    process.tick();
    redis.commands().hset(process.head(), "doubt".getBytes(US_ASCII), "0".getBytes(US_ASCII));
    redis.commands().del(process.image("anna"));
    assertThat(answers(process, "anna", "a")).containsExactly(UNKNOWN);
    process.tick();
    process.tick();
    assertThat(answers(process, "anna", "a")).containsExactly(POSSIBLY_PRESENT);
  }

  @Test
  void aTruncatedTrailerIsNoticed() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    byte[] image = process.image("anna");
    redis.commands().setrange(image, redis.commands().strlen(image) - 1, new byte[] {42});
    assertThat(answers(process, "anna", "a", "z")).containsExactly(UNKNOWN, UNKNOWN);
  }

  @Test
  void theCountIsRightWhenProcessesAddAtOnce() throws Exception {
    Process one = process(first, settings(40, 1L << 30, false));
    Process two = process(second, settings(40, 1L << 30, false));
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Callable<Integer>> work = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        String subject = "user-" + i;
        for (Process process : List.of(one, two, one)) {
          work.add(() -> added(process, subject));
        }
      }
      int news = 0;
      int refused = 0;
      for (Future<Integer> added : threads.invokeAll(work)) {
        news += Math.max(0, added.get());
        refused += added.get() < 0 ? 1 : 0;
      }
      assertThat(news).as("each key is new to one adder").isEqualTo(40 * 3);
      assertThat(refused).isEqualTo(20 * 3);
      assertThat(redis.commands().zcard(one.index())).isEqualTo(40);
      assertThat(RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":0}:subject:*"))
          .hasSize(40);
      one.store.heartbeat();
      assertThat(one.store.totals().count()).isEqualTo(40);
    } finally {
      threads.shutdownNow();
    }
  }

  private static int added(Process process, String subject) {
    try {
      return process.store.of(subject).addAll(List.of("a", "b", "c"));
    } catch (AddFailedException e) {
      assertThat(e.reason()).isEqualTo(AddFailedException.Reason.FULL);
      return -1;
    }
  }

  /** Redis drops the images by itself, and tells nobody. */
  @Test
  void theCountIsRightWhenSubjectsEnd() {
    Process process = process();
    for (int i = 0; i < 50; i++) {
      process.store.of("user-" + i).addAll(List.of("a"));
    }
    for (int i = 0; i < 45; i++) {
      process.end("user-" + i);
    }
    process.store.heartbeat();
    assertThat(process.store.totals().count()).isEqualTo(5);
    assertThat(redis.commands().zcard(process.index())).isEqualTo(5);
    assertThat(process.isReady()).isTrue();
  }

  @Test
  void anotherShapeIsRefusedUntilNoSubjectOfTheFirstLives() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    Process other =
        new Process(second, settings(Sizing.blocked(50, 1e-6, 2), TTL, 10, 1L << 30, false));
    other.tick();
    assertThat(other.store.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(other.store.warnings()).anyMatch(text -> text.contains("another shape"));
    assertThat(answers(other, "anna", "a", "b")).containsExactly(UNKNOWN, UNKNOWN);
    assertThatThrownBy(() -> other.store.of("anna").addAll(List.of("c")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("another shape");
    assertThat(answers(process, "anna", "a", "b")).containsExactly(POSSIBLY_PRESENT, ABSENT);

    process.end("anna");
    other.tick();
    other.tick();
    assertThat(other.store.of("anna").addAll(List.of("c"))).isOne();
    assertThat(answers(other, "anna", "a", "c")).containsExactly(ABSENT, POSSIBLY_PRESENT);
    assertThat(answers(process, "anna", "c")).containsExactly(UNKNOWN);
  }

  @Test
  void totalsAreOfAllSubjects() {
    Process process = process();
    List<String> many = IntStream.range(0, 1000).mapToObj(Integer::toString).toList();
    process.store.of("anna").addAll(many);
    process.store.of("bert").addAll(many.subList(0, 10));
    process.store.of("carl").addAll(many.subList(0, 10));
    process.tick();
    process.store.sample.read();

    SubjectTotals totals = process.store.totals();
    assertThat(totals.count()).isEqualTo(3);
    assertThat(totals.bytes()).isEqualTo(3 * SubjectSettings.bytesOfSubject(SHAPE));
    assertThat(totals.sampled()).isEqualTo(3);
    assertThat(totals.fillMax()).isBetween(0.9 * SHAPE.designFillRatio(), 0.55);
    assertThat(totals.fillMedian()).isBetween(0.0, 0.02);
    assertThat(totals.elements()).isBetween(950L, 1090L);
    assertThat(process.store.status().estimatedElements()).as("of the median").isBetween(8L, 12L);
  }

  @Test
  void aPolicyThatEvictsWhatExpiresIsWarnedOf() {
    redis.commands().configSet("maxmemory", "200mb");
    redis.commands().configSet("maxmemory-policy", "volatile-lru");
    try {
      assertThat(process(redis.connections(), settings()).store.warnings())
          .singleElement()
          .asString()
          .contains("noeviction");
    } finally {
      redis.commands().configSet("maxmemory", "0");
      redis.commands().configSet("maxmemory-policy", "noeviction");
    }
    assertThat(process().store.warnings()).isEmpty();
  }

  @Test
  void explainsOneKeyOfASubject() {
    Process process = process();
    process.store.of("anna").addAll(List.of("a"));
    KeyExplanation present = process.store.explain("anna", "a");
    assertThat(present.membership()).isEqualTo(POSSIBLY_PRESENT);
    assertThat(present.bits()).isNotEmpty().allMatch(KeyExplanation.Bit::set);
    KeyExplanation absent = process.store.explain("anna", "b");
    assertThat(absent.membership()).isEqualTo(ABSENT);
    assertThat(absent.bits()).anyMatch(bit -> !bit.set());
    assertThat(process.store.explain("a").reason()).contains("'subject'");
  }

  @Test
  void theModeIsSharedByAllProcesses() {
    Process one = process();
    Process two = process(second, settings());
    one.store.enforcement().mode(FilterMode.OBSERVE);
    two.tick();
    assertThat(two.store.enforcement().standing().mode()).isEqualTo(FilterMode.OBSERVE);
  }

  @Test
  void aSubjectIsNamedByItsHashOnly() {
    Process process = process();
    process.store.of("anna-name").addAll(List.of("secret-key"));
    for (byte[] key : RedisKeys.like(redis.commands(), "*")) {
      assertThat(new String(key, US_ASCII)).doesNotContain("anna-name");
    }
    assertThat(redis.commands().zrange(process.index(), 0, -1))
        .noneMatch(member -> new String(member, US_ASCII).contains("anna"));
    long subject = process.store.subject("anna-name");
    assertThat(subject).isNotEqualTo(process.store.hash("anna-name"));
  }

  /** The estimate that bounds the subjects is what they take, and little more. */
  @ParameterizedTest
  @ValueSource(ints = {10, 100, 1000, 5000})
  void theBytesOfASubjectAreWhatItTakes(int keys) {
    SubjectSettings settings =
        settings(Sizing.blocked(keys, 1e-3, 1), Duration.ofDays(1), 1_000_000, 1L << 30, false);
    Process process = process(first, settings);
    long before = usedMemory();
    int subjects = 2000;
    for (int i = 0; i < subjects; i++) {
      process.store.of("user-" + i).addAll(List.of("a"));
    }
    double taken = (double) (usedMemory() - before) / subjects;
    // Redis 8 and Valkey keep a key and its value in one allocation.
    double most = EmbeddedRedis.OTHER.isEmpty() ? 1.4 : 1.6;
    assertThat((double) settings.bytesOfSubject()).isBetween(taken * 0.97, taken * most);
  }

  /**
   * Without the buffers of connections, which grow and shrink meanwhile. Redis measures them from
   * time to time, so it is asked until the answer stands.
   */
  private long usedMemory() {
    long[] last = {-1};
    await()
        .pollInterval(Duration.ofMillis(250))
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              String memory = redis.commands().info("memory");
              long now = bytes(memory, "used_memory:") - bytes(memory, "mem_clients_normal:");
              long before = last[0];
              last[0] = now;
              return Math.abs(now - before) < 512;
            });
    return last[0];
  }

  private static long bytes(String memory, String field) {
    return memory
        .lines()
        .filter(line -> line.startsWith(field))
        .mapToLong(line -> Long.parseLong(line.substring(field.length()).strip()))
        .findFirst()
        .orElseThrow();
  }

  static Membership[] answers(Process process, String subject, String... keys) {
    return process.store.of(subject).checkAll(List.of(keys));
  }
}
