package io.bloomguard.generation.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.TestImages;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AddsSinceTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final Instant AS_OF = Instant.parse("2025-06-01T02:00:00Z");
  private static final Duration RELIANCE = Duration.ofHours(1);

  @TempDir Path folder;

  /** Not at the registration less the retention, and earlier than the set by skew and reliance. */
  @Test
  void theReplayBeginsBeforeTheDataOfTheSet() throws IOException {
    Instant from = AS_OF.minus(Duration.ofMinutes(61));
    assertThat(adds(from, false)).isEqualTo(new AddsSince(from, null));
    assertThat(adds(Instant.EPOCH, false)).isEqualTo(new AddsSince(from, null));
  }

  @Test
  void aJournalThatBeginsLaterDoesNotDo() throws IOException {
    AddsSince adds = adds(AS_OF.minus(Duration.ofMinutes(61)).plusMillis(1), false);
    assertThat(adds.from()).isEqualTo(Instant.EPOCH);
    assertThat(adds.doubt(false)).isEqualTo(adds.lack());
    assertThatThrownBy(() -> adds.doubt(true))
        .isInstanceOf(ImageRefusedException.class)
        .hasMessageContainingAll("as of " + AS_OF, "as of " + AS_OF.plusMillis(1) + " or later");
  }

  /** Rows that were read from elsewhere do not make the journal needless: all of it is replayed. */
  @Test
  void withTheKeysFromElsewhereAllOfTheJournalIsReplayed() throws IOException {
    assertThat(adds(AS_OF.plusSeconds(1), true)).isEqualTo(new AddsSince(Instant.EPOCH, null));
  }

  @Test
  void dataOfTheFutureHaveAWrongClock() throws IOException {
    ImageSet set = set();
    KeyHasher hasher = KeyHash.SIPHASH_1_3.hasher(SECRET);
    Fingerprint own = Fingerprint.of("urls", set.plan().part(), hasher, 1, 0);
    Instant early = AS_OF.minus(AddsSince.SKEW);
    AddsSince.require(set, own, early);
    assertThatThrownBy(() -> AddsSince.require(set, own, early.minusMillis(1)))
        .isInstanceOf(ImageRefusedException.class)
        .hasMessageContaining("in the future");
  }

  private AddsSince adds(Instant whole, boolean complete) throws IOException {
    return AddsSince.of("urls", set(), whole, RELIANCE, complete);
  }

  private ImageSet set() throws IOException {
    ImagePlan plan =
        ImagePlan.of(
            "urls",
            FilterPlan.split(Sizing.blocked(10, 0.01, 1), 1),
            KeyHash.SIPHASH_1_3,
            SECRET,
            KeyFolding.EXACT,
            256);
    return TestImages.write(plan, SECRET, AS_OF, List.of("a"), new ImageDirectory(folder));
  }
}
