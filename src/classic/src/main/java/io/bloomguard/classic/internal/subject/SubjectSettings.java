package io.bloomguard.classic.internal.subject;

import io.bloomguard.classic.internal.small.SmallImage;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.internal.journal.JournalMemory;
import java.time.Duration;

/**
 * The configuration of a filter by subject.
 *
 * @param filter the filter's name
 * @param shape the dimensions of one subject's filter
 * @param hash the hash of keys
 * @param folding the folding, which decides the keys that are equal
 * @param keyPrefix the beginning of every key in Redis, such as {@code bloomguard}
 * @param ttl how long a subject's filter lives after its last add
 * @param maxSubjects the most live subjects
 * @param maxBytes their most memory in Redis
 * @param absentWhereMissing whether the keys of a subject without a filter are absent, not unknown
 * @param retention how long this process retains its adds; no longer than they live
 * @param journalMemory bounds its retained adds
 */
public record SubjectSettings(
    String filter,
    FilterShape shape,
    KeyHash hash,
    KeyFolding folding,
    String keyPrefix,
    Duration ttl,
    long maxSubjects,
    long maxBytes,
    boolean absentWhereMissing,
    Duration retention,
    JournalMemory journalMemory) {

  public SubjectSettings {
    retention = retention.compareTo(ttl) < 0 ? retention : ttl;
  }

  /** The hash of keys under a secret. */
  KeyHasher hasher(HashSecret secret) {
    return folding.over(hash.hasher(secret));
  }

  /** The form in Redis under a secret. */
  SubjectForm form(HashSecret secret) {
    return new SubjectForm(keyPrefix, Fingerprint.of(filter, shape, hasher(secret), 1, 0));
  }

  /** The most live subjects: the lower of both bounds. */
  long mostSubjects() {
    return Math.min(maxSubjects, maxBytes / bytesOfSubject());
  }

  /** Whether the bytes bound the subjects. */
  boolean isBoundByBytes() {
    return mostSubjects() < maxSubjects;
  }

  /** The memory of one subject in Redis. */
  long bytesOfSubject() {
    return bytesOfSubject(shape);
  }

  /**
   * The memory in Redis of one subject with a filter of that shape: the string, as its allocator
   * rounds it up, and key, expiry and entry in the index.
   */
  public static long bytesOfSubject(FilterShape shape) {
    long string = shape.sizeBytes() + SmallImage.FRAME_BYTES + STRING_OVERHEAD;
    // jemalloc has four sizes in each doubling.
    long step = Math.max(16, Long.highestOneBit(string - 1) / 4);
    return (string + step - 1) / step * step + ENTRY_BYTES;
  }

  private static final int STRING_OVERHEAD = 10;

  /** Key, objects, expiry and index entry, as SubjectMemoryTest measures them. */
  private static final int ENTRY_BYTES = 320;
}
