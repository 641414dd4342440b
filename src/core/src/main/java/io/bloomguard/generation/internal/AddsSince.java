package io.bloomguard.generation.internal;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.image.ImageSet;
import java.time.Duration;
import java.time.Instant;

/**
 * The adds since the data of an image set were read, which the set may lack.
 *
 * <p>Every key that was committed or acknowledged before the set's {@code asOf} is in the set, so a
 * generation that is made of it needs the adds from then on. They are replayed from the journal,
 * and not from the journal's retention before the registration, as for a source that is read after
 * it: the data are older. Two clocks name {@code asOf}, that of the data and that of the journal,
 * and a repeated add may rely on an earlier entry of its key, so the replay begins earlier by both
 * ({@code docs/decisions/0083}).
 */
public final class AddsSince {

  /** The most by which the clock of the data and the clock of the journal may differ. */
  public static final Duration SKEW = Duration.ofMinutes(1);

  private AddsSince() {}

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
   * The moment from which on the journal is replayed.
   *
   * @param filter the filter's name, for messages
   * @param whole the moment from which on the journal has every acknowledged add, by its clock
   * @param reliance how long before an add its entry may lie
   * @param complete whether these adds reach the generation from elsewhere too
   * @return the moment; the journal's beginning if they are complete without it
   * @throws ImageRefusedException if the journal lacks some of these adds
   */
  public static Instant replayFrom(
      String filter, ImageSet set, Instant whole, Duration reliance, boolean complete) {
    Instant asOf = set.asOf();
    if (complete) {
      return Instant.EPOCH;
    }
    Instant from = asOf.minus(SKEW).minus(reliance);
    if (from.isBefore(whole)) {
      String prefix = "bloomguard.filters." + filter;
      throw new ImageRefusedException(
          "The image set is as of "
              + asOf
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
    return from;
  }
}
