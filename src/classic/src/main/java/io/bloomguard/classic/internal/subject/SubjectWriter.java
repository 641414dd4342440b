package io.bloomguard.classic.internal.subject;

import io.bloomguard.classic.internal.small.SmallImages;
import io.bloomguard.generation.internal.journal.Journal;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds keys to the filters of subjects, and adds again those that Redis may have lost.
 *
 * <p>This process retains its adds before it sends them, for the retention of its journal.
 */
final class SubjectWriter {

  private static final Logger log = LoggerFactory.getLogger(SubjectWriter.class);

  private final String filter;
  private final SmallImages images;
  private final SubjectPlaces places;
  private final SubjectRegister register;
  private final Journal journal;

  SubjectWriter(
      SubjectSettings settings,
      SmallImages images,
      SubjectPlaces places,
      SubjectRegister register) {
    this.filter = settings.filter();
    this.images = images;
    this.places = places;
    this.register = register;
    this.journal =
        new Journal(filter, 2, settings.retention(), System::nanoTime, settings.journalMemory());
  }

  /**
   * Adds hashes to the filter of a subject.
   *
   * @return for each whether it was new
   * @throws AddFailedException if there is no room for another subject, or they could not be
   *     retained or stored
   */
  boolean[] add(long subject, List<Long> hashes) {
    enter();
    long[] entry = {subject, 0};
    for (long hash : hashes) {
      entry[1] = hash;
      journal.append(entry, 0);
    }
    return images.add(places.of(subject), hashes);
  }

  /** Ensures before an add that this process is in the list of writers. */
  private void enter() {
    if (!register.isUnsure()) {
      return;
    }
    try {
      register.tell();
    } catch (RedisUnavailableException e) {
      throw images.failed(String.valueOf(e.getMessage()), e);
    }
    places.requireOurs();
  }

  /**
   * Adds this process' retained adds again, if Redis has lost writes since.
   *
   * @throws RedisUnavailableException if Redis does not answer; the next call tries again
   */
  void makeGood() {
    journal.sweep();
    String losses = register.view().losses();
    if (!register.isBehind() || losses.isEmpty()) {
      return;
    }
    boolean[] again = {false};
    journal.forEach((entries, count) -> again[0] |= !addAgain(entries, count, losses));
    if (!again[0]) {
      register.madeGood(losses);
      register.tell();
      log.info("Filter '{}': this process adds its retained adds again", filter);
    }
  }

  /** Returns false if a further loss came meanwhile. All keys of a subject come together. */
  private boolean addAgain(long[] entries, int count, String losses) {
    Map<Long, List<Long>> bySubject = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      bySubject.computeIfAbsent(entries[2 * i], s -> new ArrayList<>()).add(entries[2 * i + 1]);
    }
    for (Map.Entry<Long, List<Long>> subject : bySubject.entrySet()) {
      for (List<Long> chunk : images.chunks(subject.getValue())) {
        ScriptOutcome outcome =
            places
                .of(subject.getKey(), losses)
                .add(images.offsets(chunk))
                .await(RedisConnections.WRITE)
                .outcome();
        // A subject that finds no room has no filter, so its keys are unknown unless set otherwise.
        if (outcome != ScriptOutcome.OK && outcome != ScriptOutcome.FULL) {
          return false;
        }
      }
    }
    return true;
  }
}
