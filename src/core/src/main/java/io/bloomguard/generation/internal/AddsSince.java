package io.bloomguard.generation.internal;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.image.ImageSet;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The adds since the data of an image set were read, which the set may lack.
 *
 * <p>Every key that was committed or acknowledged before the set's {@code asOf} is in the set, so a
 * generation that is made of it needs the adds from then on. They are replayed from the journal,
 * and not from the journal's retention before the registration, as for a source that is read after
 * it: the data are older. Two clocks name {@code asOf}, that of the data and that of the journal,
 * and a repeated add may rely on an earlier entry of its key, so the replay begins earlier by both
 * ({@code docs/decisions/0083}).
 *
 * @param from the moment from which on the journal is replayed, by its clock; its beginning if
 *     these adds reach the generation from elsewhere, or are not all there
 * @param lack the reason why some of these adds reach the generation from nowhere; null if all do
 */
public record AddsSince(Instant from, @Nullable String lack) {

  /** All of a journal, where nothing is lacking. */
  public static final AddsSince ALL = new AddsSince(Instant.EPOCH, null);

  /** The most by which the clock of the data and the clock of the journal may differ. */
  public static final Duration SKEW = Duration.ofMinutes(1);

  /**
   * Refuses a set whose images are not those that a build registers, or whose data are of the
   * future.
   *
   * @param expected the fingerprint of partition 0, whatever its salt
   * @param registered the moment from which on adds reach the generation, by the journal's clock
   * @throws ImageRefusedException naming what differs
   */
  public static void require(ImageSet set, Fingerprint expected, Instant registered) {
    String found = set.plan().fingerprint();
    String wanted = expected.withSalt(set.plan().salt()).text();
    if (!found.equals(wanted)) {
      throw new ImageRefusedException(
          "The fingerprint of the image set differs from the filter's: "
              + Fingerprint.difference(found, wanted));
    }
    if (set.asOf().minus(SKEW).isAfter(registered)) {
      throw new ImageRefusedException(
          "The image set is as of " + set.asOf() + ", which is in the future: it is " + registered);
    }
  }

  /**
   * The adds since the data of a set.
   *
   * @param filter the filter's name, for messages
   * @param whole the moment from which on the journal has every acknowledged add, by its clock
   * @param reliance how long before an add its entry may lie
   * @param complete whether these adds reach the generation from elsewhere too
   */
  public static AddsSince of(
      String filter, ImageSet set, Instant whole, Duration reliance, boolean complete) {
    if (complete) {
      return ALL;
    }
    Instant from = set.asOf().minus(SKEW).minus(reliance);
    if (!from.isBefore(whole)) {
      return new AddsSince(from, null);
    }
    String prefix = "bloomguard.filters." + filter;
    return new AddsSince(
        ALL.from,
        "The image set is as of "
            + set.asOf()
            + ", and the journal lacks adds since then, whose keys would be rejected: it has"
            + " enough for a set as of "
            + whole.plus(SKEW).plus(reliance)
            + " or later, which is published by itself. If sets are always older than the"
            + " journal, raise "
            + prefix
            + ".rebuild.journal-retention, or set "
            + prefix
            + ".source.jdbc.recent-query; if no key was added since, a rebuild with \"force\":"
            + " true publishes this set");
  }

  /**
   * {@return the reason why a generation of the set must deny no key; null if it may}
   *
   * @param better whether there is a generation that the set must not replace then
   * @throws ImageRefusedException if there is
   */
  public @Nullable String doubt(boolean better) {
    if (lack != null && better) {
      throw new ImageRefusedException(lack);
    }
    return lack;
  }
}
