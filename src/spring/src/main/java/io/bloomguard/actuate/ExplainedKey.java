package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint's explanation of one key: the content of a filter and its value cache, and the
 * filter's answer. Looking counts as no outcome.
 *
 * <p>The members: {@code key}, the canonical key, folded as the filter's keys are; {@code hash}, by
 * which the log names the key, empty for none; {@code bits}, those of the key in the serving
 * generation, empty where none can be read; {@code membership}, the filter's answer, with its
 * {@code reason} and the guard's {@code verdict} in a sentence each; {@code cached} and {@code
 * nullEntry}, whether the value cache holds a value, or a null entry, absent where it does not
 * answer.
 */
final class ExplainedKey {

  private ExplainedKey() {}

  /**
   * Looks without leaving a trace.
   *
   * @throws InvalidKeyException if the key breaks a rule
   */
  static EndpointAnswer of(OperatedFilter operated, String key) {
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
  static EndpointAnswer of(
      OperatedFilter operated, SubjectFilters subjects, String subject, String key) {
    String canonical = canonical(operated, key);
    return of(operated, canonical, subjects.explain(subject, canonical), false, false);
  }

  private static EndpointAnswer of(
      OperatedFilter operated,
      String canonical,
      KeyExplanation why,
      @Nullable Boolean cached,
      @Nullable Boolean nullEntry) {
    EndpointAnswer answer =
        EndpointAnswer.of("key", operated.filter().settings().keyRules().fold(canonical))
            .with("hash", operated.filter().store().keyHash(canonical));
    // Also if there are none.
    answer.put("bits", why.bits());
    return answer
        .with("membership", why.membership())
        .with("reason", why.reason())
        .with("verdict", KeyVerdict.of(operated, why.membership()))
        .with("cached", cached)
        .with("nullEntry", nullEntry);
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
