package io.bloomguard.classic.internal.bitmap;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.classic.internal.hash.ClassicHash;
import io.bloomguard.classic.internal.hash.PhpVectors;
import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.generation.ClearRefusedException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.StepProxy;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("redis")
class SharedBitmapStoreTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final int BITS = 1_000_003;
  private static final StringChoice ALONE = new StringChoice(1, 1);
  private static final StringChoice SPREAD = new StringChoice(2, 6);
  private static final BitOffsets OFFSETS =
      BitOffsets.of(BITS, List.of(ClassicHash.BKDR, ClassicHash.SDBM, ClassicHash.JS));
  private static final BitOffsets SEEDED = BitOffsets.seeded(BITS, 16);
  private static final List<String> NAMED =
      PhpVectors.all().map(vector -> vector.get("key").stringValue()).toList();

  private EmbeddedRedis one;
  private EmbeddedRedis two;
  private RedisConnections first;
  private RedisConnections second;
  private String key = "";

  @BeforeAll
  void start() {
    one = new EmbeddedRedis();
    two = new EmbeddedRedis();
    first = one.connections();
    second = first.to("127.0.0.1", two.port());
    assertThat(second.awaitConnected(Duration.ofSeconds(20))).isTrue();
  }

  @AfterAll
  void stop() throws Exception {
    one.close();
    two.close();
  }

  @BeforeEach
  void name() {
    key = "bitmap" + NAMES.incrementAndGet();
  }

  @Test
  void bitsOfTheOtherProgramAreFoundByItsFormula() {
    NAMED.forEach(named -> setBits(one, key, OFFSETS, named));
    SharedBitmapStore store = store(false, false);
    assertThat(store.checkAll(NAMED)).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.check("never added")).isEqualTo(ABSENT);
    assertThat(store.check(42L)).isEqualTo(ABSENT);
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.backend()).isEqualTo("redis-bitmap");
  }

  @Test
  void addsLeaveExactlyTheBitsThatSetbitLeaves() {
    one.commands().setbit(bytes(key), 0, 0);
    assertThat(store(false, false).addAll(NAMED)).isPositive();

    NAMED.forEach(named -> setBits(one, key + ".other", OFFSETS, named));
    assertThat(one.commands().get(bytes(key))).isEqualTo(one.commands().get(bytes(key + ".other")));
  }

  @Test
  void keysOfAMissingStringAreUnknownAndItIsNotMadeByAnAdd() {
    SharedBitmapStore store = store(false, false);
    assertThat(store.checkAll(List.of("a", "b"))).containsOnly(UNKNOWN);
    assertThatThrownBy(() -> store.addAll(List.of("a")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("'" + key + "' is missing")
        .hasMessageContaining("bitmap.create: true");
    assertThat(one.commands().exists(bytes(key))).isZero();
    assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(store.status().isSettling()).isTrue();
    assertThat(store.warnings()).singleElement().asString().contains("'" + key + "' is missing");
    assertThat(store.explain("a").reason()).contains("is missing");
    assertThat(store.explain("a").membership()).isEqualTo(UNKNOWN);
    one.commands().set(bytes(key), new byte[0]);
    assertThat(store.check("a")).isEqualTo(ABSENT);
  }

  @Test
  void keysOfAMissingStringAreAbsentAndItIsMadeWhereThatIsChosen() {
    SharedBitmapStore store = store(true, true);
    assertThat(store.checkAll(List.of("a", "b"))).containsOnly(ABSENT);
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.addAll(List.of("alpha"))).isEqualTo(1);
    assertThat(store.check("alpha")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(one.commands().bitcount(bytes(key))).isEqualTo(3);
  }

  @Test
  void anotherTypeIsUnknownAndNeverTouched() {
    one.commands().rpush(bytes(key), bytes("x"));
    SharedBitmapStore store = store(key, OFFSETS, ALONE, true, true, true);
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
    assertThatThrownBy(() -> store.addAll(List.of("a")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("another type");
    assertThatThrownBy(store::clear)
        .isInstanceOf(ClearRefusedException.class)
        .hasMessageContaining("another type");
    assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(store.warnings()).singleElement().asString().contains("another type");
    assertThat(one.commands().llen(bytes(key))).isEqualTo(1);
  }

  @Test
  void anAddIsNewWhereABitWasClear() {
    SharedBitmapStore store = store(false, true);
    assertThat(store.addEach(List.of("alpha", "beta", "alpha"))).containsExactly(true, true, false);
    assertThat(store.addAll(List.of("beta", "gamma"))).isEqualTo(1);
    assertThat(store.addAll(List.of())).isZero();
    List<String> names = PhpVectors.packageNames().subList(0, 10_000);
    assertThat(store.addAll(names)).isBetween(6_000, 10_000);
    assertThat(store.addAll(names)).isZero();
    assertThat(store.checkAll(names)).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void ofManyAddersOneHearsThatAKeyIsNew() throws Exception {
    SharedBitmapStore store = store(false, true);
    SharedBitmapStore other = store(false, true);
    List<String> keys = IntStream.range(0, 500).mapToObj(i -> "customer:" + i).toList();
    Callable<Integer> adder = () -> store.addAll(keys);
    Callable<Integer> another = () -> other.addAll(keys);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      int added = 0;
      for (Future<Integer> each : threads.invokeAll(List.of(adder, another, adder, another))) {
        added += each.get();
      }
      SharedBitmapStore alone = store(key + ".alone", OFFSETS, ALONE, false, true, false);
      assertThat(added).isEqualTo(alone.addAll(keys));
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void fillAndElementsFollowFromTheBits() {
    SharedBitmapStore store = store(false, true);
    store.addAll(PhpVectors.packageNames().subList(0, 10_000));
    double fill = one.commands().bitcount(bytes(key)) / (double) BITS;
    assertThat(store.status().fillRatio()).isCloseTo(fill, within(fill / 10));
    assertThat(store.status().expectedFalsePositiveProbability())
        .isCloseTo(Math.pow(fill, 3), within(Math.pow(fill, 3) / 2));
    assertThat(store.status().estimatedElements()).isBetween(5_000L, 10_000L);
    assertThat(store.status().shape().layout()).isEqualTo(Layout.CLASSIC);
  }

  @Test
  void longStringsAreSampled() {
    byte[] random = new byte[1 << 22];
    new Random(5).nextBytes(random);
    one.commands().setrange(bytes(key), 0, random);
    BitOffsets wide = BitOffsets.of(1L << 26, List.of(ClassicHash.BKDR));
    SharedBitmapStore store = store(key, wide, ALONE, false, false, false);
    assertThat(store.status().fillRatio()).isCloseTo(0.25, within(0.005));
    one.commands().del(bytes(key));
    assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
  }

  @Test
  void anExplanationShowsPositionsAndBits() {
    SharedBitmapStore store = store(false, true);
    store.addAll(List.of("product:42"));
    KeyExplanation present = store.explain("product:42");
    assertThat(present.membership()).isEqualTo(POSSIBLY_PRESENT);
    assertThat(present.reason())
        .isEqualTo("Every bit of the key is set in the string '" + key + "'.");
    assertThat(present.bits())
        .containsExactly(
            new KeyExplanation.Bit(2_234_076_242L % BITS, true),
            new KeyExplanation.Bit(1_977_320_434L % BITS, true),
            new KeyExplanation.Bit(1_901_406_803L % BITS, true));
    assertThat(store.explain("other").membership()).isEqualTo(ABSENT);
  }

  @Test
  void noStartMakesIt() {
    SharedBitmapStore store = store(false, false);
    store.serveEmpty(store.status().shape());
    assertThat(one.commands().exists(bytes(key))).isZero();
  }

  @Test
  void allThatShareItHearThatItIsDisarmed() {
    SharedBitmapStore store = store(false, true);
    SharedBitmapStore other = store(false, true);
    store.maintain();
    store.enforcement().disarm();
    store.maintain();
    other.maintain();
    assertThat(other.enforcement().standing().disarmed()).isTrue();
    other.enforcement().arm();
    store.maintain();
    assertThat(store.enforcement().standing().disarmed()).isFalse();
  }

  @Test
  void clearingLeavesAStringWithoutABitAndItsTimeToLive() {
    SharedBitmapStore store = store(key, SEEDED, ALONE, false, false, true);
    one.commands().setbit(bytes(key + ".0"), 0, 0);
    store.addAll(List.of("alpha"));
    one.commands().expire(bytes(key + ".0"), 1000);
    assertThat(store.clear()).isEqualTo(1);
    assertThat(one.commands().bitcount(bytes(key + ".0"))).isZero();
    assertThat(one.commands().ttl(bytes(key + ".0"))).isBetween(900L, 1000L);
    assertThat(store.check("alpha")).isEqualTo(ABSENT);
    assertThat(store.addAll(List.of("alpha"))).isEqualTo(1);
    assertThatThrownBy(() -> store(false, true).clear())
        .isInstanceOf(ClearRefusedException.class)
        .hasMessageContaining("bitmap.allow-clear: true");
  }

  /** A sample tells the fill of a string whose bytes are all alike. */
  @Test
  void theStringIsClearedPastRotateAtFillAndNotBefore() {
    SharedBitmap bitmap =
        new SharedBitmap(
            "comments",
            new FilterShape(Layout.CLASSIC, 10_000, 0.01, BITS, 0, 3, BITS),
            key,
            false,
            OFFSETS,
            ALONE,
            List.of(first),
            false,
            false,
            true,
            KeyFolding.EXACT);
    byte[] bytes = new byte[(int) (BITS / 8)];
    Arrays.fill(bytes, (byte) 0b0101_0100);
    one.commands().set(bytes(key), bytes);
    rotating(bitmap).maintain();
    assertThat(one.commands().bitcount(bytes(key))).isEqualTo(3 * bytes.length);

    Arrays.fill(bytes, (byte) 0b0101_0111);
    one.commands().set(bytes(key), bytes);
    SharedBitmapStore store = rotating(bitmap);
    store.maintain();
    assertThat(one.commands().bitcount(bytes(key))).isZero();
    assertThat(one.commands().exists(bytes(key))).isEqualTo(1);

    one.commands().set(bytes(key), bytes);
    store.maintain();
    assertThat(one.commands().bitcount(bytes(key))).as("not looked at again yet").isPositive();
  }

  private SharedBitmapStore rotating(SharedBitmap bitmap) {
    return new SharedBitmapStore(bitmap, RedisEnforcement.beside(key, first, "bloomguard"), 0.5);
  }

  @Test
  void keysAreSpreadOverServersAndPartitionsByOneCrc32() {
    SharedBitmapStore store = store(key, SEEDED, SPREAD, false, true, true);
    assertThat(store.addAll(NAMED)).isPositive();

    assertThat(store.checkAll(NAMED)).containsOnly(POSSIBLY_PRESENT);
    for (String named : NAMED) {
      long crc32 = StringChoice.crc32(bytes(named));
      RedisCommands<byte[], byte[]> home = (crc32 % 2 == 0 ? one : two).commands();
      for (long offset : offsets(SEEDED, named)) {
        assertThat(home.getbit(bytes(key + "." + crc32 % 6), offset)).isEqualTo(1);
      }
    }
    assertThat(RedisKeys.like(one.commands(), key + ".*")).hasSize(3);
    assertThat(RedisKeys.like(two.commands(), key + ".*")).hasSize(3);
    assertThat(store.explain(NAMED.get(0)).reason()).contains(" of 2.");
    assertThat(store.clear()).isEqualTo(12);
    assertThat(store.checkAll(NAMED)).containsOnly(ABSENT);
    assertThat(RedisKeys.like(one.commands(), key + ".*")).hasSize(3);
  }

  @Test
  void aServerThatIsDownMakesOnlyItsKeysUnknown() {
    SharedBitmapStore store = store(key, SEEDED, SPREAD, false, true, false);
    store.addAll(NAMED);
    two.stop();
    try {
      for (String named : NAMED) {
        assertThat(store.check(named)).isEqualTo(isUp(named) ? POSSIBLY_PRESENT : UNKNOWN);
      }
      assertThat(store.addAll(NAMED.stream().filter(this::isUp).toList())).isZero();
      assertThatThrownBy(() -> store.addAll(NAMED)).isInstanceOf(AddFailedException.class);
      assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
    } finally {
      two.restart();
    }
    Awaitility.await().until(() -> second.requests().session() != null);
    assertThat(store.check(NAMED.stream().filter(named -> !isUp(named)).findFirst().orElseThrow()))
        .as("it has come back without its strings")
        .isEqualTo(UNKNOWN);
  }

  /** Whether a key lies on the first of two servers. */
  private boolean isUp(String named) {
    return SPREAD.server(StringChoice.crc32(bytes(named))) == 0;
  }

  @Tag("thorough")
  @Tag("long")
  @Test
  void aRoundTripLongerThanTheTimeOfACheckIsTold() throws Exception {
    one.commands().setbit(bytes(key), 0, 0);
    RedisConnections usual = first;
    try (StepProxy far = new StepProxy(one.port());
        RedisConnections slow =
            new RedisConnections(EmbeddedRedis.factory(far.port()), Duration.ofMillis(20))) {
      assertThat(slow.awaitConnected(Duration.ofSeconds(20))).isTrue();
      first = slow;
      SharedBitmapStore store = store(false, false);
      assertThat(store.check("a")).isEqualTo(UNKNOWN);
      for (int look = 0; look < 3; look++) {
        store.maintain();
      }
      assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
      assertThat(store.warnings()).singleElement().asString().contains("command-timeout (20 ms)");
    } finally {
      first = usual;
    }
  }

  private SharedBitmapStore store(boolean missingIsAbsent, boolean create) {
    return store(key, OFFSETS, ALONE, missingIsAbsent, create, false);
  }

  /** Partitioned where the hashes are seeded. */
  private SharedBitmapStore store(
      String name,
      BitOffsets offsets,
      StringChoice choice,
      boolean missingIsAbsent,
      boolean create,
      boolean allowClear) {
    boolean partitioned = offsets.count() == SEEDED.count();
    FilterShape shape =
        new FilterShape(
            Layout.CLASSIC,
            10_000,
            0.01,
            offsets.reachable(),
            0,
            offsets.count(),
            offsets.reachable() * choice.used());
    return new SharedBitmapStore(
        new SharedBitmap(
            "comments",
            shape,
            name,
            partitioned,
            offsets,
            choice,
            choice.servers() == 1 ? List.of(first) : List.of(first, second),
            missingIsAbsent,
            create,
            allowClear,
            KeyFolding.EXACT),
        RedisEnforcement.beside(name, first, "bloomguard"),
        null);
  }

  private static void setBits(EmbeddedRedis redis, String name, BitOffsets of, String key) {
    for (long offset : offsets(of, key)) {
      redis.commands().setbit(bytes(name), offset, 1);
    }
  }

  private static long[] offsets(BitOffsets of, String key) {
    long[] offsets = new long[of.count()];
    of.write(bytes(key), offsets, 0);
    return offsets;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
