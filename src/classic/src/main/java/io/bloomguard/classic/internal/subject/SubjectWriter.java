package io.bloomguard.classic.internal.subject;

import io.bloomguard.generation.internal.journal.Journal;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ForeignDataException;
import io.bloomguard.guard.JournalFullException;
import io.bloomguard.guard.SubjectsFullException;
import io.bloomguard.redis.internal.client.ForeignData;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds keys to the filters of subjects, and adds again those that Redis may have lost.
 *
 * <p>This process retains its adds before it sends them, for the retention of its journal.
 */
final class SubjectWriter {

  /** The most keys in one script, so that none blocks Redis for more than a few milliseconds. */
  private static final int CHUNK = 200;

  private static final int ATTEMPTS = 8;

  private static final String TAKEN =
      ForeignData.reason("the bits of a subject", "its name has :subject: and the subject's hash");

  private static final LuaScript ADD = LuaScript.of(SubjectWriter.class, "subjects", "head", "add");
  private static final Logger log = LoggerFactory.getLogger(SubjectWriter.class);

  private final SubjectSettings settings;
  private final SubjectKeys keys;
  private final SubjectImage image;
  private final SubjectRegister register;
  private final RedisLink requests;
  private final Journal journal;

  SubjectWriter(
      SubjectSettings settings,
      SubjectKeys keys,
      SubjectImage image,
      SubjectRegister register,
      RedisLink requests) {
    this.settings = settings;
    this.keys = keys;
    this.image = image;
    this.register = register;
    this.requests = requests;
    this.journal =
        new Journal(
            settings.filter(), 2, settings.retention(), System::nanoTime, settings.journalMemory());
  }

  /**
   * Adds hashes to the filter of a subject.
   *
   * @return for each whether it was new
   * @throws SubjectsFullException if there is no room for another subject
   * @throws JournalFullException if they could not be retained
   * @throws AddFailedException if they could not be stored
   */
  boolean[] add(long subject, List<Long> hashes) {
    if (register.isSilent() || register.refusal() != null) {
      enter();
    }
    long[] entry = {subject, 0};
    for (long hash : hashes) {
      entry[1] = hash;
      journal.append(entry, 0);
    }
    boolean[] isNew = new boolean[hashes.size()];
    for (int from = 0; from < isNew.length; from += CHUNK) {
      List<Long> chunk = hashes.subList(from, Math.min(isNew.length, from + CHUNK));
      String told = accepted(subject, chunk);
      for (int i = 0; i < chunk.size(); i++) {
        isNew[from + i] = told.charAt(i) == '1';
      }
    }
    return isNew;
  }

  /** Ensures before an add that this process is in the list of writers. */
  private void enter() {
    try {
      register.tell();
    } catch (RedisUnavailableException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
    requireOurs();
  }

  /** Refuses adds to another program's data, or to a filter of other settings. */
  private void requireOurs() {
    String refusal = register.refusal();
    if (refusal != null) {
      throw new ForeignDataException(settings.filter(), refusal);
    }
  }

  private String accepted(long subject, List<Long> hashes) {
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        LuaScript.Reply reply = send(subject, hashes, "");
        switch (reply.outcome()) {
          case OK -> {
            return reply.text(1);
          }
          case FULL -> throw full(Duration.ofMillis(reply.number(1)));
          case TAKEN -> throw new ForeignDataException(settings.filter(), TAKEN);
          default -> register.tell();
        }
        requireOurs();
      }
    } catch (RedisUnavailableException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
    throw failed("its head in Redis changed again and again", null);
  }

  private LuaScript.Reply send(long subject, List<Long> hashes, String losses) {
    String server = requests.server();
    return ADD.start(
            requests.only(server),
            keys.of(subject),
            image.fingerprint(),
            server,
            image.front(subject),
            image.size(),
            SubjectKeys.member(subject),
            settings.ttl().toMillis(),
            settings.mostSubjects(),
            losses,
            image.bitsOfKey(),
            image.bits(hashes))
        .await(RedisConnections.WRITE);
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
      log.info("Filter '{}': this process adds its retained adds again", settings.filter());
    }
  }

  /** Returns false if a further loss came meanwhile. All keys of a subject come together. */
  private boolean addAgain(long[] entries, int count, String losses) {
    Map<Long, List<Long>> bySubject = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      bySubject.computeIfAbsent(entries[2 * i], s -> new ArrayList<>()).add(entries[2 * i + 1]);
    }
    for (Map.Entry<Long, List<Long>> subject : bySubject.entrySet()) {
      List<Long> hashes = subject.getValue();
      for (int from = 0; from < hashes.size(); from += CHUNK) {
        List<Long> chunk = hashes.subList(from, Math.min(hashes.size(), from + CHUNK));
        ScriptOutcome outcome = send(subject.getKey(), chunk, losses).outcome();
        // A subject that finds no room has no filter, so its keys are unknown unless set otherwise.
        if (outcome != ScriptOutcome.OK && outcome != ScriptOutcome.FULL) {
          return false;
        }
      }
    }
    return true;
  }

  /** The approximate number of retained adds. */
  long remembered() {
    return journal.size();
  }

  private SubjectsFullException full(Duration retryAfter) {
    String property =
        "bloomguard.filters."
            + settings.filter()
            + ".per-subject."
            + (settings.isBoundByBytes() ? "max-bytes" : "max-subjects");
    return new SubjectsFullException(
        settings.filter(), property, settings.mostSubjects(), retryAfter);
  }

  private AddFailedException failed(String why, @Nullable Throwable cause) {
    return new AddFailedException(
        "Filter '" + settings.filter() + "' could not take an add: " + why, cause);
  }
}
