package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever happens to the keys of a filter, no key of it is denied, and a rebuild heals it. */
class RedisImageDamageTest extends RedisTestBase {

  private static final List<String> KEYS = numbers(0, 1_000);

  /** What may happen to the keys of a filter. */
  enum Damage {
    IMAGE_DELETED(FilterState.DOUBTFUL),
    IMAGE_TRUNCATED(FilterState.DOUBTFUL),
    TRAILER_CUT_OFF(FilterState.DOUBTFUL),
    IMAGE_ZEROED(FilterState.DOUBTFUL),
    IMAGE_A_LIST(FilterState.DOUBTFUL),
    IMAGE_OF_ANOTHER_FILTER(FilterState.DOUBTFUL),
    IMAGE_LONGER(FilterState.READY),
    HEAD_DELETED(FilterState.EMPTY),
    HEAD_A_LIST(FilterState.DOUBTFUL),
    HEAD_NONSENSE(FilterState.DOUBTFUL),
    JOURNAL_DELETED(FilterState.READY),
    EVERYTHING_FLUSHED(FilterState.EMPTY);

    final FilterState state;

    Damage(FilterState state) {
      this.state = state;
    }
  }

  @ParameterizedTest
  @EnumSource
  void noKeyIsDeniedAndARebuildHeals(Damage damage) throws Exception {
    SchemeStore here = store(first);
    SchemeStore there = store(second);
    build(here, SHAPE, KEYS);
    assertThat(there.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService checker = Executors.newSingleThreadExecutor();
    try {
      Future<Boolean> denied = checker.submit(() -> deniesAny(there, done));

      apply(damage);

      assertThat(here.status().state()).isEqualTo(damage.state);
      assertThat(there.status().state()).isEqualTo(damage.state);
      if (damage.state != FilterState.READY) {
        assertThat(there.checkAll(KEYS)).containsOnly(UNKNOWN);
        assertThat(there.check("never")).isEqualTo(UNKNOWN);
        assertThat(there.explain("7").membership()).isEqualTo(UNKNOWN);
      }

      build(here, SHAPE, KEYS);

      await().until(() -> there.check("7") == POSSIBLY_PRESENT);
      assertThat(there.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
      assertThat(there.check("never")).isEqualTo(ABSENT);
      assertThat(here.status().state()).isEqualTo(FilterState.READY);
      assertThat(there.addAll(List.of("later"))).isEqualTo(1);
      assertThat(here.check("later")).isEqualTo(POSSIBLY_PRESENT);
      done.set(true);
      assertThat(denied.get()).isFalse();
    } finally {
      done.set(true);
      checker.shutdownNow();
    }
  }

  @Test
  void aDamagedHeadIsReplacedOnlyByWhoeverHasTheBuildsLock() {
    SchemeStore here = store(first);
    build(here, SHAPE, KEYS);
    apply(Damage.HEAD_NONSENSE);
    redis.commands().psetex(key("lock"), 30_000, key("another builder"));

    assertThatThrownBy(() -> store(second).beginBuild(SHAPE))
        .isInstanceOf(BuildRunningException.class);

    assertThat(redis.commands().hexists(key("head"), "serving".getBytes(UTF_8))).isTrue();
  }

  @Test
  void anAddToADamagedImageIsRefused() {
    SchemeStore store = store(first);
    build(store, SHAPE, KEYS);
    apply(Damage.IMAGE_TRUNCATED);
    assertThatThrownBy(() -> store.addAll(List.of("a")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining(filter)
        .hasMessageContaining("damaged");
  }

  /** A reader that remembers a lost head must not believe its image once adds go elsewhere. */
  @Test
  void anAddAfterTheHeadWasLostIsNotDeniedByAReaderThatRemembersIt() {
    SchemeStore here = store(first);
    SchemeStore there = store(second);
    build(here, SHAPE, KEYS);
    assertThat(there.check("0")).isEqualTo(POSSIBLY_PRESENT);
    apply(Damage.HEAD_DELETED);

    here.addAll(List.of("added"));

    assertThat(there.check("added")).isEqualTo(UNKNOWN);
    build(here, SHAPE, KEYS);
    await().until(() -> there.check("added") == POSSIBLY_PRESENT);
  }

  @Test
  void aLostGenerationIsExplainedOtherwiseThanOneThatWasNeverBuilt() {
    SchemeStore store = store(first);
    assertThat(store.explain("1").reason()).contains("none was built yet");
    build(store, SHAPE, KEYS);
    store.maintain();

    apply(Damage.HEAD_DELETED);

    assertThat(store.explain("1").reason()).contains("lost generation 1", "rebuild");
    store.addAll(List.of("added"));
    assertThat(store.explain("1").reason()).contains("lost generation 1", "rebuild");
    assertThat(store(second).explain("1").reason()).contains("none was built yet, or");
  }

  @Test
  void aFilterOfAnotherSecretIsUnknownAndNotOverwritten() {
    build(store(first), SHAPE, KEYS);
    SchemeStore foreign =
        store(
            settings(second, SHAPE),
            HashSecret.parse("ffeeddccbbaa99887766554433221100"),
            KeyHash.SIPHASH_1_3,
            AT_ONCE);

    assertThat(foreign.checkAll(KEYS)).containsOnly(UNKNOWN);
    assertThat(foreign.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(foreign.explain("1").reason()).contains("its hash secret has the identifier");
    assertThatThrownBy(() -> foreign.addAll(List.of("a"))).isInstanceOf(AddFailedException.class);
    assertThatThrownBy(() -> foreign.beginBuild(SHAPE))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("secret");
    assertThatThrownBy(foreign::rollback).isInstanceOf(StoreUnavailableException.class);
    assertThat(store(first).checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void aNodeWithAnotherShapeFollowsTheOneInRedis() {
    build(store(first), SHAPE, KEYS);
    SchemeStore other = store(second, Sizing.blocked(5_000, 0.01, 1));

    assertThat(other.checkAll(KEYS)).containsOnly(POSSIBLY_PRESENT);
    assertThat(other.check("never")).isEqualTo(ABSENT);
    assertThat(other.status().shape()).isEqualTo(SHAPE);
    assertThat(other.addAll(List.of("a"))).isEqualTo(1);
    assertThat(store(first).check("a")).isEqualTo(POSSIBLY_PRESENT);
  }

  private static boolean deniesAny(SchemeStore store, AtomicBoolean done) {
    boolean denied = false;
    for (int i = 0; !done.get(); i = (i + 1) % KEYS.size()) {
      denied |= store.check(KEYS.get(i)) == Membership.ABSENT;
    }
    return denied;
  }

  private void apply(Damage damage) {
    RedisCommands<byte[], byte[]> commands = redis.commands();
    byte[] image = image();
    long length = commands.strlen(image);
    switch (damage) {
      case IMAGE_DELETED -> commands.del(image);
      case IMAGE_TRUNCATED -> commands.set(image, commands.getrange(image, 0, length / 2));
      case TRAILER_CUT_OFF -> commands.set(image, commands.getrange(image, 0, length - 65));
      case IMAGE_ZEROED -> commands.set(image, new byte[(int) length]);
      case IMAGE_A_LIST -> {
        commands.del(image);
        commands.rpush(image, image);
      }
      case IMAGE_OF_ANOTHER_FILTER -> {
        String own = filter;
        filter = own + "-other";
        build(store(first), SHAPE, List.of("foreign"));
        byte[] bits = commands.get(image());
        filter = own;
        commands.set(image, bits);
      }
      case IMAGE_LONGER -> commands.append(image, new byte[100]);
      case HEAD_DELETED -> commands.del(key("head"));
      case HEAD_A_LIST -> {
        commands.del(key("head"));
        commands.rpush(key("head"), image);
      }
      case HEAD_NONSENSE -> commands.hset(key("head"), "serving".getBytes(UTF_8), image);
      case JOURNAL_DELETED -> commands.del(key("journal"));
      case EVERYTHING_FLUSHED -> commands.flushall();
    }
  }
}
