package io.bloomguard.redis.internal.store;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeStore;
import io.bloomguard.redis.internal.image.HashScheme;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another folding of keys is another scheme: built beside the one that serves. */
class FoldingChangeTest extends RedisTestBase {

  private static final Limits NOW =
      AT_ONCE.withLateCommits(Duration.ZERO).withLockLifetime(Duration.ofSeconds(5));
  private static final KeyFolding LOWER = KeyFolding.parse("lower.none.none");
  private static final KeyFolding UPPER = KeyFolding.parse("upper.none.none");

  private static final FilterShape COUNTERS = Sizing.shape(Layout.COUNTING, 2_000, 1e-9);

  private RedisGenerationStore exact;
  private RedisGenerationStore lower;

  @BeforeEach
  void begin() {
    exact = store(KeyFolding.EXACT, first);
    lower = store(LOWER, second);
  }

  private RedisGenerationStore store(KeyFolding folding, RedisConnections connections) {
    return store(folding, connections, SHAPE);
  }

  private RedisGenerationStore store(
      KeyFolding folding, RedisConnections connections, FilterShape shape) {
    RedisGenerationStore store =
        new RedisGenerationStore(
            settings(connections, shape), SECRET, List.of(), KeyHash.SIPHASH_1_3, folding, NOW);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  private String scheme() {
    byte[] scheme = redis.commands().hget(key("head"), "hashing".getBytes(UTF_8));
    return new String(scheme, UTF_8);
  }

  /** What is in Redis from before keys could be folded stays what it is. */
  @Test
  void exactKeysAreNotNamed() {
    build(exact, SHAPE, List.of("Admin"));
    assertThat(scheme()).matches("1;siphash-1-3;[0-9a-f]+;1");
    HashScheme parsed = HashScheme.parse(scheme());
    assertThat(parsed).isNotNull();
    assertThat(parsed.folding()).isEqualTo(KeyFolding.EXACT);
    assertThat(HashScheme.parse(scheme() + ";lower.none.none").folding()).isEqualTo(LOWER);
    for (String wrong : List.of(";exact.none.none", ";", ";lower", ";lower.none.none;1")) {
      assertThat(HashScheme.parse(scheme() + wrong)).isNull();
    }
  }

  @Test
  void whatIsNotCoveredIsUnknownUntilTheChangeIsOver() {
    build(exact, SHAPE, List.of("Admin", "42"));

    assertThat(exact.checkAll(List.of("Admin", "ADMIN", "42", "43")))
        .containsExactly(POSSIBLY_PRESENT, ABSENT, POSSIBLY_PRESENT, ABSENT);
    assertThat(lower.checkAll(List.of("Admin", "ADMIN", "admin", "nobody")))
        .containsExactly(POSSIBLY_PRESENT, UNKNOWN, UNKNOWN, UNKNOWN);
    assertThat(lower.check("ADMIN")).isEqualTo(UNKNOWN);
    assertThat(lower.check(42)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(lower.check(43)).as("\"43 \" may be there, and equal").isEqualTo(UNKNOWN);
    assertThat(lower.explain("ADMIN").membership()).isEqualTo(UNKNOWN);
    assertThat(lower.explain("ADMIN").reason())
        .contains("exact.none.none", "lower.none.none", "rebuild")
        .doesNotContain("ADMIN");
    assertThat(lower.warnings()).anyMatch(warning -> warning.contains("lower.none.none"));
    assertThat(exact.warnings()).isEmpty();

    lower.addAll(List.of("Bob"));
    assertThat(exact.check("Bob")).isEqualTo(POSSIBLY_PRESENT);
    try (Build build = lower.beginBuild(SHAPE)) {
      build.awaitSource();
      exact.addAll(List.of("Carol"));
      lower.addAll(List.of("Dave"));
      assertThat(lower.checkAll(List.of("CAROL", "dave"))).containsOnly(UNKNOWN);
      assertThat(exact.checkAll(List.of("Carol", "Dave"))).containsOnly(POSSIBLY_PRESENT);
      build.addAll(new String[] {"Admin", "Bob", "42"}, 3);
      build.publish();
    }
    lower.maintain();
    exact.maintain();

    List<String> spellings = List.of("ADMIN", "admin", "BOB", "carol", "DAVE", "42");
    assertThat(lower.checkAll(spellings)).containsOnly(POSSIBLY_PRESENT);
    assertThat(lower.checkAll(List.of("nobody", "43"))).containsOnly(ABSENT);
    assertThat(lower.check(43)).isEqualTo(ABSENT);
    assertThat(lower.warnings()).isEmpty();
    assertThat(scheme()).endsWith(";lower.none.none");
    // Which is right for exact keys too: what no spelling of is there is not there.
    assertThat(exact.checkAll(List.of("Admin", "Carol", "42"))).containsOnly(POSSIBLY_PRESENT);
    assertThat(exact.check("nobody")).isEqualTo(ABSENT);
    exact.addAll(List.of("Eve"));
    assertThat(lower.check("EVE")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void twoFoldingsDoNotBelieveEachOther() {
    build(lower, SHAPE, List.of("Admin"));
    RedisGenerationStore upper = store(UPPER, first);

    assertThat(upper.checkAll(List.of("ADMIN", "nobody")))
        .containsExactly(POSSIBLY_PRESENT, UNKNOWN);
  }

  /** Nor are their keys removed: where they are counted is not known. */
  @Test
  void nothingIsRemovedUntilTheChangeIsOver() {
    RedisGenerationStore there = store(KeyFolding.EXACT, first, COUNTERS);
    RedisGenerationStore here = store(LOWER, second, COUNTERS);
    assertThatThrownBy(() -> there.removeAll(List.of("Admin"), 0))
        .isInstanceOf(RemovalFailedException.class)
        .hasMessageContaining("no image serves");
    build(there, COUNTERS, List.of("Admin", "Bob"));
    here.maintain();
    assertThatThrownBy(() -> here.removeAll(List.of("Admin"), 0))
        .isInstanceOf(RemovalFailedException.class)
        .hasMessageContaining("folded otherwise");
    try (Build build = here.beginBuild(COUNTERS)) {
      build.awaitSource();
      assertThatThrownBy(() -> here.removeAll(List.of("Admin"), 0))
          .isInstanceOf(RemovalFailedException.class)
          .hasMessageContaining("scheme changes");
    }
  }

  @Test
  void aProcessThatDoesNotKnowFoldingsFindsThemForeign() {
    build(lower, SHAPE, List.of("Admin"));
    SchemeStore old = store(first);
    assertThat(old.check("nobody")).isEqualTo(UNKNOWN);
    assertThat(old.check("admin")).isEqualTo(UNKNOWN);
  }
}
