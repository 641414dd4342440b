package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.ValueType;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The content of a filter and its value cache for one key, and the filter's answer. Looking counts
 * as no outcome.
 *
 * @param key the canonical key, folded as the filter's keys are
 * @param hash the hash by which the log names the key, empty for none
 * @param bits the key's bits in the serving generation, empty where none can be read
 * @param membership the filter's answer
 * @param reason the answer in a sentence
 * @param verdict what the guard makes of the key, in a sentence
 * @param cached whether the value cache holds a value, null where it does not answer
 * @param nullEntry whether it holds a null entry, null where it does not answer
 */
public record KeyDescriptor(
    String key,
    String hash,
    List<KeyExplanation.Bit> bits,
    Membership membership,
    String reason,
    String verdict,
    @Nullable Boolean cached,
    @Nullable Boolean nullEntry)
    implements OperationResponseBody {

  /**
   * Looks without leaving a trace.
   *
   * @throws InvalidKeyException if the key breaks a rule
   */
  static KeyDescriptor of(OperatedFilter operated, String key) {
    String canonical = canonical(operated, key);
    String folded = operated.filter().settings().keyRules().fold(canonical);
    KeyExplanation why = explained(operated, canonical);
    Boolean cached = null;
    Boolean nullEntry = null;
    try {
      CacheLookup<Object> held = operated.cache().get().lookup(folded, ValueType.of(Object.class));
      cached = held instanceof CacheLookup.Hit || held instanceof CacheLookup.Due;
      nullEntry = held instanceof CacheLookup.NullHit;
    } catch (RuntimeException e) {
      // Neither is known, which is an answer for an operator whose cache is down.
    }
    return of(operated, canonical, why, cached, nullEntry);
  }

  /**
   * Describes a key in the filter of a subject, of which nothing is cached.
   *
   * @throws InvalidKeyException if the key breaks a rule
   */
  static KeyDescriptor of(
      OperatedFilter operated, SubjectFilters subjects, String subject, String key) {
    String canonical = canonical(operated, key);
    return of(operated, canonical, subjects.explain(subject, canonical), false, false);
  }

  private static KeyDescriptor of(
      OperatedFilter operated,
      String canonical,
      KeyExplanation why,
      @Nullable Boolean cached,
      @Nullable Boolean nullEntry) {
    return new KeyDescriptor(
        operated.filter().settings().keyRules().fold(canonical),
        operated.filter().store().keyHash(canonical),
        why.bits(),
        why.membership(),
        why.reason(),
        KeyVerdict.of(operated, why.membership()),
        cached,
        nullEntry);
  }

  private static KeyExplanation explained(OperatedFilter operated, String canonical) {
    KeyExplanation why = operated.filter().store().explain(canonical);
    String doubt =
        why.membership() == Membership.ABSENT
            ? operated.guarded().answers().reason(canonical)
            : null;
    return doubt == null
        ? why
        : new KeyExplanation(why.key(), why.bits(), Membership.UNKNOWN, doubt);
  }

  private static String canonical(OperatedFilter operated, String key) {
    String canonical = CanonicalKey.of(key);
    operated.filter().settings().keyRules().require(canonical);
    return canonical;
  }
}
