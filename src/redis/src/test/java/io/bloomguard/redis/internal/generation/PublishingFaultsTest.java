package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.TestImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What fails while an image set is published: no acknowledged add is rejected at any time, nothing
 * is served that is not whole, and the next publisher ends it.
 */
class PublishingFaultsTest extends RedisTestBase {

  private static final Limits SMALL = AT_ONCE.withMaxImageBytes(40_000);
  private static final List<String> KEYS = numbers(0, 5_000);

  @TempDir Path folder;

  private final List<String> added = new ArrayList<>();
  private GenerationStore.Build dead;

  /** How far a publisher has come when it dies. */
  private enum Phase {
    REGISTERED,
    IN_A_SLICE,
    ALL_SLICES,
    PUBLISHED_IN_PART
  }

  @AfterEach
  void forget() {
    if (dead != null) {
      dead.close();
      dead = null;
    }
    added.clear();
  }

  @ParameterizedTest
  @EnumSource
  void aPublisherThatDiesLosesNoAdd(Phase phase) throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    SchemeStore other = store(second, SHAPE, SMALL);
    begin(store);
    ImageSet set = set();
    add(other, "before");
    dead = store.beginImages(set, SHAPE, "dead");
    add(other, "registered");
    if (phase != Phase.REGISTERED) {
      int[] opened = {0};
      ImageSet.Files files =
          name -> {
            add(other, name);
            if (opened[0]++ > set.slices().size() / 2 && phase == Phase.IN_A_SLICE) {
              throw new IOException("killed");
            }
            return storage().open(name);
          };
      if (phase == Phase.IN_A_SLICE) {
        assertThatThrownBy(() -> dead.load(files, false)).hasMessage("killed");
      } else {
        assertThat(dead.load(files, false)).isNull();
      }
    }
    // It renews its right no longer; partition 0, whose turn is last, is not published without.
    redis.commands().del(key("lock"));
    if (phase == Phase.PUBLISHED_IN_PART) {
      assertThatThrownBy(() -> dead.publish(set.keys())).hasMessageContaining("was given up");
    }
    add(other, "after");
    assertNoneIsLost(store, other);

    other.maintain();
    add(other, "cleared");
    other.maintain();
    assertNoneIsLost(store, other);
    load(other, set);
    assertServed(store, other);
  }

  /** A server without the last writes takes over; the process that made them adds them again. */
  @ParameterizedTest
  @EnumSource(names = {"IN_A_SLICE", "ALL_SLICES"})
  void aFailoverWhilePublishingLosesNoAdd(Phase phase) throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    SchemeStore other = store(second, SHAPE, SMALL);
    begin(store);
    ImageSet set = set();
    add(other, "before");
    boolean[] failed = {false};
    try (GenerationStore.Build build = store.beginImages(set, SHAPE, "run")) {
      build.load(
          name -> {
            if (phase == Phase.IN_A_SLICE && !failed[0]) {
              failOver(other);
              failed[0] = true;
            }
            return storage().open(name);
          },
          false);
      if (phase == Phase.ALL_SLICES) {
        failOver(other);
      }
      build.publish(set.keys());
    } catch (IOException | RuntimeException e) {
      // It may end so, or be published once the lost adds are there again.
      assertThat(e).isNotInstanceOf(CorruptFilterException.class);
    }
    Instant end = Instant.now().plusSeconds(40);
    boolean there = false;
    while (!there && Instant.now().isBefore(end)) {
      store.maintain();
      other.maintain();
      assertNoneIsLost(store, other);
      there =
          answered(store, added, POSSIBLY_PRESENT).equals(added) && store.check("never") == ABSENT;
    }
    assertThat(there).isTrue();
    assertThat(answered(other, added, POSSIBLY_PRESENT)).isEqualTo(added);
  }

  /** Two jobs wrote into one folder, and the slices are of the other one. */
  @Test
  void slicesOfAnotherSetAreNotServed() throws IOException {
    SchemeStore store = store(first, SHAPE, SMALL);
    begin(store);
    ImageSet mine = set();
    ImageSet others = set(numbers(5_000, 10_000));
    for (int i = 0; i < mine.slices().size(); i += 3) {
      Files.copy(
          folder.resolve(others.slices().get(i).file()),
          folder.resolve(mine.slices().get(i).file()),
          StandardCopyOption.REPLACE_EXISTING);
    }
    assertThatThrownBy(() -> load(store, mine))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("checksum");
    assertThat(store.check("old")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("1")).isEqualTo(ABSENT);
    load(store, others);
    assertThat(store.check("5000")).isEqualTo(POSSIBLY_PRESENT);
  }

  private void failOver(GenerationStore writer) {
    add(writer, "kept");
    redis.commands().save();
    add(writer, "lost with the server");
    redis.restartFromDump();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                first.awaitConnected(Duration.ofSeconds(5))
                    && second.awaitConnected(Duration.ofSeconds(5)));
  }

  private void begin(GenerationStore store) {
    build(store, SHAPE, List.of("old"));
    reachBack(SMALL.partitions(SHAPE));
  }

  private void add(GenerationStore store, String key) {
    store.addAll(List.of(key));
    added.add(key);
  }

  private void assertNoneIsLost(GenerationStore... stores) {
    for (GenerationStore each : stores) {
      assertThat(answered(each, added, ABSENT)).isEmpty();
    }
  }

  private void assertServed(GenerationStore... stores) {
    for (GenerationStore each : stores) {
      each.maintain();
      assertThat(answered(each, KEYS, POSSIBLY_PRESENT)).isEqualTo(KEYS);
      assertThat(answered(each, added, POSSIBLY_PRESENT)).isEqualTo(added);
      assertThat(each.check("old")).isEqualTo(ABSENT);
    }
  }

  private void load(GenerationStore store, ImageSet set) throws IOException {
    try (GenerationStore.Build build = store.beginImages(set, SHAPE, "run")) {
      build.load(storage(), false);
      build.publish(set.keys());
    }
  }

  private ImageDirectory storage() {
    return new ImageDirectory(folder);
  }

  private ImageSet set() throws IOException {
    return set(KEYS);
  }

  private ImageSet set(List<String> keys) throws IOException {
    Instant now = Instant.now().truncatedTo(MILLIS);
    return TestImages.write(plan(SECRET, SMALL), SECRET, now, keys, storage());
  }
}
