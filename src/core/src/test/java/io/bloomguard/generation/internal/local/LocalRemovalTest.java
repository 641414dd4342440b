package io.bloomguard.generation.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RemovalContractTest;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RemovalFailedException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalRemovalTest extends RemovalContractTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final KeyHasher HASHER = SipHash.oneThree(SECRET);

  @TempDir private Path directory;

  @Override
  protected GenerationStore newStore(String filterName, FilterShape shape) {
    return store(filterName, shape, null);
  }

  private static LocalGenerations store(String filter, FilterShape shape, Snapshot snapshot) {
    return new LocalGenerations(
        filter,
        s -> MembershipFilters.create(s, HASHER, BlockGeometry.drawSalt()),
        shape,
        RETENTION,
        TestGenerations.journal(filter),
        1,
        System::nanoTime,
        snapshot);
  }

  @Test
  void aLayoutWithoutCountersRemovesNothing() {
    FilterShape bits = Sizing.shape(Layout.BLOCKED, 100, 0.001);
    GenerationStore store = newStore("bits", bits);
    store.serveEmpty(bits);
    store.addAll(List.of("a"));
    assertThat(store.removes()).isFalse();
    assertThat(store.removeAll(List.of("a"), 0)).isZero();
    assertThat(store.check("a")).isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  /** 0 would say that no key was counted, where the next generation may have them all. */
  @Test
  void nothingIsRemovedWhereNothingServes() {
    GenerationStore store = newStore("cold", SHAPE);
    assertThatThrownBy(() -> store.removeAll(List.of("a"), 0))
        .isInstanceOfSatisfying(
            RemovalFailedException.class, e -> assertThat(e.isRepeatable()).isTrue())
        .hasMessageContaining("no generation serves");
    FilterShape bits = Sizing.shape(Layout.BLOCKED, 100, 0.001);
    assertThat(newStore("bits", bits).removeAll(List.of("a"), 0)).isZero();
  }

  /** What one partition refuses others may have done. */
  @Test
  void aRefusalAfterOthersWereRemovedMayNotBeRepeated() {
    RemovalFailedException refused = RemovalFailedException.repeatable("later", null);
    assertThat(refused.after(0)).isSameAs(refused);
    assertThat(refused.after(1).isRepeatable()).isFalse();
    assertThat(new RemovalFailedException("lost", null).after(0).isRepeatable()).isFalse();
  }

  /** The next process goes on with the counters, where nobody else can have added to them. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSnapshotKeepsTheCounters(boolean onlyCopy) {
    LocalGenerations first = store("kept", SHAPE, snapshot(onlyCopy));
    first.serveEmpty(SHAPE);
    first.addAll(List.of("once", "twice"));
    first.addAll(List.of("twice"));
    first.save();
    LocalGenerations next = store("kept", SHAPE, snapshot(onlyCopy));
    assertThat(next.check("once")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(next.removeAll(List.of("once", "twice"), 0)).isEqualTo(onlyCopy ? 2 : 0);
    assertThat(next.check("twice")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(next.check("once"))
        .isEqualTo(onlyCopy ? Membership.ABSENT : Membership.POSSIBLY_PRESENT);
  }

  private Snapshot snapshot(boolean onlyCopy) {
    return new Snapshot(
        "kept",
        directory.resolve("kept.bloom"),
        new BlockedSnapshot("kept", SHAPE, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT),
        Duration.ofHours(1),
        /* trusted= */ true,
        onlyCopy,
        InstantSource.system());
  }
}
