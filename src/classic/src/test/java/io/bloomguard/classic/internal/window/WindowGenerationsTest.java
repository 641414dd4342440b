package io.bloomguard.classic.internal.window;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ClaimRefusedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows in a real Redis, by its clock, which the test puts forward. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("redis")
class WindowGenerationsTest {

  /** Of one generation; a key that was never added is as good as never present. */
  private static final FilterShape SHAPE = Sizing.blocked(5_000, 1e-9, 2);

  /** Another fingerprint. */
  private static final FilterShape LARGER = Sizing.blocked(9_000, 1e-9, 2);

  /** Long: no turn comes by itself while a test runs. */
  private static final Window WINDOW = new Window(Duration.ofHours(1), 4);

  private static final long LENGTH = WINDOW.length().toMillis();

  private EmbeddedRedis redis;
  private RedisConnections first;
  private RedisConnections second;
  private final AtomicLong ahead = new AtomicLong();
  private String name = "";
  private WindowGenerations store;
  private int names;

  @BeforeAll
  void start() {
    redis = new EmbeddedRedis();
    first = redis.connections();
    second = redis.connections();
  }

  @AfterAll
  void stop() throws Exception {
    redis.close();
  }

  @BeforeEach
  void open() {
    // In the middle of a generation, so that none ends while a test runs.
    ahead.set(LENGTH / 2 - System.currentTimeMillis() % LENGTH + LENGTH);
    name = "window-" + ++names;
    store = store(first);
    store.serveEmpty(SHAPE);
  }

  private WindowGenerations store(RedisConnections connections) {
    return store(connections, SHAPE, null, Duration.ZERO);
  }

  private WindowGenerations store(
      RedisConnections connections,
      FilterShape shape,
      @Nullable Double rotateAtFill,
      Duration settling) {
    return store(connections, shape, WINDOW, rotateAtFill, settling);
  }

  private WindowGenerations store(
      RedisConnections connections,
      FilterShape shape,
      Window window,
      @Nullable Double rotateAtFill,
      Duration settling) {
    return new WindowGenerations(
        new WindowFilter(
            name,
            shape,
            window,
            hasher("000102030405060708090a0b0c0d0e0f"),
            connections,
            "bloomguard",
            Duration.ofMinutes(10),
            rotateAtFill),
        settling,
        ahead::get);
  }

  private static KeyHasher hasher(String secret) {
    return SipHash.oneThree(HashSecret.parse(secret));
  }

  private void turns(int count) {
    ahead.addAndGet(count * LENGTH);
  }

  private byte[] key(String what) {
    return ("bloomguard:{" + name + ":window}:" + what).getBytes(UTF_8);
  }

  private byte[] image(long number) {
    return key("image:" + number % WINDOW.count());
  }

  @Test
  void answersWhatWasAddedAndDeniesWhatWasNot() {
    assertThat(store.addEach(List.of("a", "b", "a"))).containsExactly(true, true, false);

    assertThat(store.checkAll(List.of("c", "a", "b")))
        .containsExactly(ABSENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT);
    assertThat(store.check(42L)).isEqualTo(ABSENT);
    assertThat(store.addEach(List.of())).isEmpty();
    assertThat(store(second).addEach(List.of("c", "b"))).containsExactly(true, false);
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
  }

  @Test
  void remembersAKeyForTheWindowLessOneGenerationAndForgetsItThen() {
    store.addAll(List.of("old"));
    for (int turn = 1; turn < WINDOW.count(); turn++) {
      turns(1);
      assertThat(store.check("old")).as("turn %s", turn).isEqualTo(POSSIBLY_PRESENT);
      store.addAll(List.of("of-" + turn));
    }
    turns(1);

    assertThat(store.check("old")).isEqualTo(ABSENT);
    assertThat(store.check("of-1")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.addEach(List.of("old"))).containsExactly(true);
  }

  @Test
  void anAddOfAKnownKeyIsNotNewAcrossATurnAndRemembersItAnew() {
    store.addAll(List.of("a"));
    turns(3);
    assertThat(store.addEach(List.of("a"))).containsExactly(false);
    turns(3);
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aLongPauseForgetsEverything() {
    store.addAll(List.of("a"));
    turns(100);
    assertThat(store.check("a")).isEqualTo(ABSENT);
    assertThat(store.addEach(List.of("a"))).containsExactly(true);
    assertThat(store.window().live()).isLessThanOrEqualTo(1);
  }

  @Test
  void aClockThatIsPutBackForgetsNothing() {
    turns(10);
    store.addAll(List.of("a"));
    turns(-5);
    assertThat(store.check("a")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.addEach(List.of("a", "b"))).containsExactly(false, true);
    turns(5);
    assertThat(store.checkAll(List.of("a", "b")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT);
  }

  @Test
  void generationsEndByThemselvesWithTheWindow() {
    store.addAll(List.of("a"));
    long left = redis.commands().pttl(image(store.status().generation()));
    assertThat(left + 0.0).isBetween(LENGTH * 0.0, (double) LENGTH * WINDOW.count());
  }

  @Test
  void aGenerationThatVanishedMakesNothingAbsentUntilItWouldHaveLeft() {
    store.addAll(List.of("lost"));
    long number = store.status().generation();
    turns(1);
    store.addAll(List.of("kept"));
    redis.commands().del(image(number));

    assertThat(store.checkAll(List.of("lost", "kept", "never")))
        .containsExactly(UNKNOWN, POSSIBLY_PRESENT, UNKNOWN);
    assertThat(store.addEach(List.of("lost", "other"))).containsExactly(false, false);
    assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(store.status().isSettling()).isTrue();
    turns(2);
    assertThat(store.check("never")).isEqualTo(UNKNOWN);
    turns(1);
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(store.check("other")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void theNewestGenerationThatVanishedIsBegunAgainAndDoubted() {
    store.addAll(List.of("lost"));
    redis.commands().del(image(store.status().generation()));

    assertThat(store.addEach(List.of("after"))).containsExactly(false);
    assertThat(store.checkAll(List.of("lost", "after"))).containsExactly(UNKNOWN, POSSIBLY_PRESENT);
    turns(4);
    assertThat(store.check("lost")).isEqualTo(ABSENT);
  }

  @Test
  void aGenerationThatIsCutForeignOrPutBackIsDoubted() {
    store.addAll(List.of("a"));
    byte[] key = image(store.status().generation());
    byte[] before = redis.commands().get(key);
    store.addAll(List.of("b"));

    redis.commands().set(key, before);
    assertThat(store.check("b")).isEqualTo(UNKNOWN);

    name += "-cut";
    WindowGenerations cut = store(first);
    cut.addAll(List.of("a"));
    byte[] image = image(cut.status().generation());
    redis.commands().set(image, redis.commands().getrange(image, 0, 5_000));
    assertThat(cut.check("a")).isEqualTo(UNKNOWN);

    assertThat(cut.addEach(List.of("a"))).containsExactly(false);
    assertThat(cut.check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"head", "image:0", "image:3"})
  void dataOfAnotherProgramIsNeverTouched(String place) {
    store.addAll(List.of("a"));
    byte[] taken = key(place);
    redis.commands().del(taken);
    redis.commands().lpush(taken, "of another program".getBytes(UTF_8));
    anotherProgramsDataStays(taken, place.equals("head") ? "the window's head" : "a generation");
  }

  @Test
  void aHashOfAnotherProgramIsNeverTouched() {
    store.addAll(List.of("a"));
    redis.commands().del(key("head"));
    redis.commands().hset(key("head"), "theirs".getBytes(UTF_8), "1".getBytes(UTF_8));
    anotherProgramsDataStays(key("head"), "the window's head");
  }

  private void anotherProgramsDataStays(byte[] taken, String role) {
    byte[] before = redis.commands().dump(taken);
    WindowGenerations fresh = store(second);
    fresh.serveEmpty(SHAPE);
    for (WindowGenerations each : List.of(store, fresh)) {
      assertThat(each.checkAll(List.of("a", "z"))).containsExactly(UNKNOWN, UNKNOWN);
      assertThatThrownBy(() -> each.addAll(List.of("b")))
          .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FOREIGN)
          .hasMessageContaining(role)
          .hasMessageContaining("never changed or deleted");
      each.maintain();
      each.enforcement().disarm();
      assertThat(each.status().state()).isEqualTo(FilterState.DOUBTFUL);
      assertThat(each.warnings()).singleElement().asString().contains(role);
    }
    turns(WINDOW.count());
    assertThat(store.check("z")).isEqualTo(UNKNOWN);
    assertThat(redis.commands().dump(taken)).isEqualTo(before);

    redis.commands().del(taken);
    assertThat(store.addEach(List.of("b"))).hasSize(1);
    assertThat(store.check("b")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.warnings()).isEmpty();
  }

  @Test
  void aWindowThatIsGoneIsMissedByAllWhoHaveSeenIt() {
    WindowGenerations other = store(second);
    other.addAll(List.of("lost"));
    store.maintain();
    RedisKeys.like(redis.commands(), "bloomguard:{" + name + ":*").forEach(redis.commands()::del);

    assertThat(store.check("lost")).isEqualTo(UNKNOWN);
    assertThat(store(first).check("lost")).as("of one that has not seen it").isEqualTo(UNKNOWN);
    turns(3);
    assertThat(other.check("lost")).isEqualTo(UNKNOWN);
    turns(1);
    assertThat(other.check("lost")).as("who comes late doubts all the same").isEqualTo(UNKNOWN);
    turns(3);
    assertThat(store.check("lost")).isEqualTo(ABSENT);
  }

  @Test
  void aNewWindowBelievesNothingUntilOthersCouldHaveMissedAnOlderOne() {
    name += "-settling";
    WindowGenerations settling = store(first, SHAPE, null, Duration.ofMinutes(1));
    assertThat(settling.addEach(List.of("a"))).containsExactly(false);
    assertThat(settling.checkAll(List.of("a", "b"))).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
    ahead.addAndGet(60_000);
    assertThat(settling.check("b")).isEqualTo(ABSENT);
  }

  @Test
  void aRedisThatStartedAgainIsDoubtedForTheWindow() throws Exception {
    try (EmbeddedRedis own = new EmbeddedRedis()) {
      WindowGenerations restarted = store(own.connections());
      restarted.addAll(List.of("saved"));
      own.commands().save();
      restarted.addAll(List.of("lost"));
      own.restartFromDump();
      Awaitility.await()
          .ignoreExceptions()
          .atMost(Duration.ofSeconds(30))
          .until(() -> restarted.addEach(List.of("after")).length == 1);

      assertThat(restarted.checkAll(List.of("saved", "lost", "after")))
          .containsExactly(POSSIBLY_PRESENT, UNKNOWN, POSSIBLY_PRESENT);
      turns(WINDOW.count());
      assertThat(restarted.check("lost")).isEqualTo(ABSENT);
    }
  }

  @Test
  void otherSettingsAreForeignUntilTheWindowHasPassed() {
    store.addAll(List.of("a"));
    store.enforcement().disarm();
    WindowGenerations larger = larger();
    for (int turn = 0; turn < WINDOW.count() + 2; turn++) {
      assertThat(larger.checkAll(List.of("a", "b"))).containsOnly(UNKNOWN);
      assertThatThrownBy(() -> larger.addAll(List.of("b")))
          .isInstanceOf(AddFailedException.class)
          .hasMessageContaining("other settings");
      assertThat(larger.status().state()).isEqualTo(FilterState.DOUBTFUL);
      assertThat(larger.warnings()).singleElement().asString().contains("window.length");
      assertThat(store.addEach(List.of("a"))).as("turn %s", turn).containsExactly(false);
      assertThat(store.check("b")).isEqualTo(ABSENT);
      turns(1);
    }
    turns(WINDOW.count() - 2);
    assertThat(larger.check("b")).as("the last add is in the window").isEqualTo(UNKNOWN);
    assertThat(larger.warnings()).isNotEmpty();

    turns(1);
    assertThat(larger.addEach(List.of("b"))).containsExactly(false);
    assertThat(larger.checkAll(List.of("a", "b"))).containsExactly(UNKNOWN, POSSIBLY_PRESENT);
    assertThat(larger.warnings()).isEmpty();
    larger.maintain();
    assertThat(larger.enforcement().standing().disarmed()).isTrue();
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
    assertThat(store.warnings()).isNotEmpty();
    turns(WINDOW.count());
    assertThat(store(first, LARGER, null, Duration.ZERO).check("a")).isEqualTo(ABSENT);
  }

  @Test
  void aForeignWindowThatIsDeletedIsDoubted() {
    store.addAll(List.of("a"));
    WindowGenerations larger = larger();
    redis.commands().del(key("head"));

    assertThat(larger.check("a")).isEqualTo(UNKNOWN);
    assertThat(larger.warnings()).isEmpty();
    turns(WINDOW.count());
    assertThat(larger.check("a")).isEqualTo(ABSENT);
  }

  @Test
  void aWindowOfAnotherVersionIsForeignUntilItHasPassed() {
    store.addAll(List.of("a"));
    redis.commands().hset(key("head"), "format".getBytes(UTF_8), "0".getBytes(UTF_8));

    assertThat(store.checkAll(List.of("a", "b"))).containsOnly(UNKNOWN);
    assertThatThrownBy(() -> store.addAll(List.of("b"))).isInstanceOf(AddFailedException.class);
    assertThat(store.warnings()).isNotEmpty();
    turns(WINDOW.count());
    assertThat(store.addEach(List.of("b"))).containsExactly(false);
    assertThat(store.warnings()).isEmpty();
  }

  private WindowGenerations larger() {
    WindowGenerations larger = store(second, LARGER, null, Duration.ZERO);
    larger.serveEmpty(LARGER);
    return larger;
  }

  @Test
  void aPolicyThatEvictsWhatExpiresIsWarnedOf() {
    redis.commands().configSet("maxmemory", "200mb");
    redis.commands().configSet("maxmemory-policy", "volatile-lru");
    try (RedisConnections fresh = redis.connections()) {
      WindowGenerations evicted = store(fresh);
      evicted.addAll(List.of("a"));
      assertThat(evicted.warnings()).singleElement().asString().contains("noeviction");
    } finally {
      redis.commands().configSet("maxmemory", "0");
      redis.commands().configSet("maxmemory-policy", "noeviction");
    }
  }

  @Test
  void ofAllAddersOfAKeyExactlyOneHearsThatItIsNewAcrossTurns() throws Exception {
    List<WindowGenerations> stores = List.of(store, store(second), store(second));
    AtomicIntegerArray heard = new AtomicIntegerArray(3_000);
    CyclicBarrier together = new CyclicBarrier(stores.size());
    ExecutorService threads = Executors.newFixedThreadPool(stores.size());
    try {
      List<Future<?>> adders = new ArrayList<>();
      for (WindowGenerations asked : stores) {
        // One turns at every tenth meeting, while the others add: no key's adds are as far apart as
        // the window is long.
        Runnable turn = adders.isEmpty() ? () -> turns(1) : () -> {};
        adders.add(threads.submit(() -> addTogether(asked, together, turn, heard)));
      }
      for (Future<?> adder : adders) {
        adder.get();
      }
    } finally {
      threads.shutdownNow();
    }
    for (int key = 0; key < heard.length(); key++) {
      assertThat(heard.get(key)).as("adders that heard of key %s", key).isOne();
    }
  }

  /** Adds each key twice, in steps that follow one another. */
  private static @Nullable Void addTogether(
      WindowGenerations asked, CyclicBarrier together, Runnable turn, AtomicIntegerArray heard)
      throws Exception {
    for (int from = -10; from < heard.length(); from += 10) {
      together.await(1, TimeUnit.MINUTES);
      if (from % 100 == 0) {
        turn.run();
      }
      int begin = Math.max(0, from);
      List<String> batch = numbers(begin, Math.min(heard.length(), from + 20));
      boolean[] isNew = asked.addEach(batch);
      for (int i = 0; i < isNew.length; i++) {
        if (isNew[i]) {
          heard.incrementAndGet(begin + i);
        }
      }
    }
    return null;
  }

  @Test
  void manyKeysGoInOneCallInTheirOrder() {
    List<String> even =
        IntStream.range(0, 2_000).filter(i -> i % 2 == 0).mapToObj(i -> "" + i).toList();
    store.addAll(even);
    List<String> all = numbers(0, 2_000);
    Membership[] answers = store.checkAll(all);
    boolean[] isNew = store.addEach(all);
    for (int i = 0; i < 2_000; i++) {
      assertThat(answers[i]).isEqualTo(i % 2 == 0 ? POSSIBLY_PRESENT : ABSENT);
      assertThat(isNew[i]).isEqualTo(i % 2 == 1);
    }
  }

  @Test
  void aFullGenerationMakesRoomButForgetsNothingOfTheRetention() {
    FilterShape small = Sizing.blocked(100, 0.01, 1);
    name += "-full";
    WindowGenerations full = store(first, small, 0.5, Duration.ZERO);
    full.serveEmpty(small);
    long begin = full.status().generation();
    fill(full, 0);
    // Four generations are full, and the oldest ended less than the retention ago.
    assertThat(full.status().generation()).isEqualTo(begin + WINDOW.count() - 1);
    assertThat(full.checkAll(numbers(0, 1_000))).containsOnly(POSSIBLY_PRESENT);
    assertThat(full.window().early()).isEqualTo(WINDOW.count() - 1);

    ahead.addAndGet(Duration.ofMinutes(11).toMillis());
    full.addAll(numbers(1_000, 1_020));
    full.addAll(numbers(1_020, 1_040));
    assertThat(full.status().generation()).isEqualTo(begin + WINDOW.count());
    assertThat(full.checkAll(numbers(1_000, 1_040))).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void aFullGenerationEndsNoDoubtOfTheRetention() {
    FilterShape small = Sizing.blocked(100, 0.01, 1);
    name += "-doubted";
    // A minute before a turn.
    ahead.addAndGet(LENGTH / 2 - 60_000);
    WindowGenerations full = store(first, small, 0.5, Duration.ZERO);
    full.addAll(numbers(0, 20));
    redis.commands().del(key("head"));
    assertThat(full.checkAll(numbers(0, 20))).containsOnly(UNKNOWN);
    ahead.addAndGet(120_000);
    fill(full, 1_000);
    assertThat(full.checkAll(numbers(0, 20))).doesNotContain(ABSENT);
    assertThat(full.status().isSettling()).isTrue();

    ahead.addAndGet(Duration.ofMinutes(11).toMillis());
    fill(full, 2_000);
    assertThat(full.status().isSettling()).isFalse();
    assertThat(full.checkAll(numbers(0, 20))).contains(ABSENT);
  }

  /** Adds a thousand keys a few at a time. */
  private static void fill(WindowGenerations full, long from) {
    for (long key = from; key < from + 1_000; key += 20) {
      full.addAll(numbers(key, key + 20));
    }
  }

  @Test
  void aScriptTakesFewerKeysTheMoreGenerationsItAsks() {
    name += "-many";
    Window many = new Window(Duration.ofHours(1), 48);
    WindowGenerations asked = store(first, SHAPE, many, null, Duration.ZERO);
    asked.addAll(List.of("a"));
    redis.commands().configResetstat();
    asked.checkAll(numbers(0, 120));
    assertThat(redis.commands().info("commandstats")).contains("cmdstat_evalsha:calls=10,");
    assertThat(asked.addEach(numbers(0, 120))).containsOnly(true);
  }

  @Test
  void theStatusTellsOfTheWindowAndItsFalsePositives() {
    FilterShape small = Sizing.blocked(1_000, 0.01, 1);
    name += "-status";
    WindowGenerations filled = store(first, small, null, Duration.ZERO);
    filled.serveEmpty(small);
    for (int generation = 0; generation < 3; generation++) {
      filled.addAll(numbers(generation * 1_000L, generation * 1_000L + 1_000));
      turns(1);
    }
    FilterStatus status = filled.status();
    assertThat(status.expectedFalsePositiveProbability())
        .isCloseTo(1 - Math.pow(0.99, 3), within(0.004));
    assertThat((double) status.estimatedElements()).isCloseTo(1_000, within(60.0));
    assertThat(status.fillRatio()).isBetween(0.1, 0.6);
    assertThat(filled.window().live()).isEqualTo(3);
    assertThat((double) filled.window().elements()).isCloseTo(3_000, within(120.0));
    assertThat(filled.window().sizeBytes()).isGreaterThan(3 * small.sizeBytes());
    List<String> absent = IntStream.range(0, 20_000).mapToObj(i -> "absent-" + i).toList();
    long wrong = Arrays.stream(filled.checkAll(absent)).filter(a -> a == POSSIBLY_PRESENT).count();
    assertThat(wrong / 20_000.0)
        .isCloseTo(status.expectedFalsePositiveProbability(), within(0.008));
  }

  @Test
  void anAbsentKeyIsExplained() {
    assertThat(store.explain("never").membership()).isEqualTo(ABSENT);
    assertThat(store.explain("never").reason()).doesNotContain("never");
  }

  @Test
  void aRedisThatIsGoneMakesEverythingUnknownAndRefusesAdds() throws Exception {
    EmbeddedRedis gone = new EmbeddedRedis();
    WindowGenerations orphan = store(gone.connections(Duration.ofMillis(100)));
    orphan.addAll(List.of("a"));
    gone.close();

    assertThat(orphan.check("a")).isEqualTo(UNKNOWN);
    assertThatThrownBy(() -> orphan.addAll(List.of("b"))).isInstanceOf(AddFailedException.class);
    assertThat(orphan.status().state()).isEqualTo(FilterState.DOUBTFUL);
  }

  @Test
  void whetherItRejectsIsToldToAll() {
    WindowGenerations other = store(second);
    store.enforcement().disarm();
    store.maintain();
    other.maintain();
    assertThat(other.enforcement().standing().disarmed()).isTrue();
  }

  private static List<String> numbers(long from, long to) {
    return LongStream.range(from, to).mapToObj(Long::toString).toList();
  }

  @Test
  void aRepeatUnderAClaimGetsTheFirstAnswerAcrossTurnsAndProcesses() {
    store.addAll(List.of("7", "8"));
    List<String> batch = LongStream.range(0, 500).mapToObj(Long::toString).toList();
    boolean[] answer = store.beginAdd(batch, "batch").isNew();
    assertThat(answer).startsWith(true, true).contains(false).endsWith(true, true);
    assertThat(answer[7]).isFalse();
    assertThat(store.beginAdd(batch, "batch").isNew()).isEqualTo(answer);
    turns(1);
    assertThat(store(second).beginAdd(batch, "batch").isNew()).isEqualTo(answer);
    assertThat(store.addEach(batch)).doesNotContain(true);
    assertThatThrownBy(() -> store.beginAdd(List.of("new"), "batch"))
        .isInstanceOf(ClaimRefusedException.class);
    assertThat(store.check("new")).isEqualTo(ABSENT);
  }

  /** A kept answer of "none is new" would outlive the doubt. */
  @Test
  void aNewClaimIsRefusedWhileKeysAreInDoubt() {
    boolean[] answer = store.beginAdd(List.of("a", "b"), "before").isNew();
    redis.commands().del(image(store.status().generation()));
    assertThatThrownBy(() -> store.beginAdd(List.of("c"), "batch"))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("cannot tell which keys are new");
    assertThat(store.check("c")).isNotEqualTo(POSSIBLY_PRESENT);
    assertThat(store.beginAdd(List.of("a", "b"), "before").isNew()).isEqualTo(answer);
    turns(WINDOW.count());
    assertThat(store.beginAdd(List.of("c"), "batch").isNew()).containsExactly(true);
  }

  @Test
  void beyondTheBoundOfClaimsAddsAreRefused() {
    store.with(new ClaimSettings("the.bound", Duration.ofHours(1), Claim.bytes(2)));
    assertThat(store.beginAdd(List.of("a", "b"), "one").isNew()).containsExactly(true, true);
    assertThatThrownBy(() -> store.beginAdd(List.of("c"), "two"))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("the.bound");
    assertThat(store.beginAdd(List.of("a", "b"), "one").isNew()).containsExactly(true, true);
  }
}
