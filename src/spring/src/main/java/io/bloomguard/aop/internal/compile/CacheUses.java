package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.CacheAttributes;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The entries that the guarded methods of an application keep in each cache, so that no method gets
 * another method's entries.
 *
 * <p>Methods that both name a cache share it. If one of them does not, sharing values is an error,
 * but sharing null entries is not: a method that keeps null entries alone then keeps nothing. Only
 * {@code exists...} and {@code count...} share the null entries of the lookup in their own class.
 *
 * <p>A method that answers the rows that belong to a key (a list), and asks for no cache, keeps
 * nothing beside a lookup of another type: its null entries mean another thing.
 */
final class CacheUses {

  private static final Logger LOG = LoggerFactory.getLogger(CacheUses.class);

  private static final String KEEP_NOTHING =
      "Let the one that loads rows of another table keep nothing: caching = NONE. Or give it a"
          + " cache of its own, which each write of its rows must evict: by @BloomKey(filter ="
          + " \"...\", attribute = \"...\") on their entity, such as \"pet.id\" of a visit, or by"
          + " @BloomEvict";

  private final Map<String, List<Use>> uses = new HashMap<>();

  /**
   * What a method keeps.
   *
   * @param type the type of its values
   * @param rows whether its null entries mean that a key has no rows, as an empty list and a count
   *     of 0 do, not that the key does not exist
   * @param asks whether it only asks for existence or number, possibly of other rows
   */
  record Content(Type type, boolean rows, boolean asks) {}

  /**
   * The entries of one method, as called on objects of one class.
   *
   * @param values whether it keeps values, not null entries alone
   * @param yields whether it keeps nothing by now
   */
  record Use(
      AnnotatedMethod<BloomGuarded> method, Content content, boolean values, AtomicBoolean yields) {

    Use(AnnotatedMethod<BloomGuarded> method, Content content, boolean values) {
      this(method, content, values, new AtomicBoolean());
    }

    private String type() {
      return content.type.getTypeName();
    }

    private String name() {
      return AnnotatedMethod.name(method.specific());
    }

    /** Whether it keeps entries; a method that is compiled later may end that. */
    boolean keeps() {
      return !yields.get();
    }

    /** Whether another method may end its keeping of entries. */
    boolean mayYield() {
      return content.asks || !values || belongsToKey();
    }

    /** Whether it answers rows that belong to a key, and its annotation asks for no entries. */
    private boolean belongsToKey() {
      return content.rows && !asksToKeep();
    }

    /** Whether it keeps nothing beside {@code other}, whose null entries mean another thing. */
    private boolean yieldsAsContentTo(Use other) {
      return belongsToKey() && !type().equals(other.type()) && !isMeantWith(other);
    }

    /**
     * Whether it keeps nothing beside {@code other}: one that asks beside a lookup of another class
     * or, if there are no lookups, beside another class that asks; and one that keeps null entries
     * alone beside any other lookup, whose rows are not known.
     */
    private boolean yieldsTo(Use other, boolean lookups) {
      return yieldsAsContentTo(other)
          || (content.asks
              ? !(lookups && other.content.asks) && asksApartFrom(other)
              : !values
                  && !other.content.asks
                  && !isMethodOf(other)
                  && !isMeantWith(other)
                  && !other.yieldsAsContentTo(this));
    }

    /** Whether the annotation asks explicitly to keep entries. */
    private boolean asksToKeep() {
      BloomGuarded annotation = method.annotation();
      return annotation.caching() != Caching.AUTO || CacheAttributes.present(annotation);
    }

    /** Whether both annotations name the cache, so that it is meant to be shared. */
    private boolean isMeantWith(Use other) {
      return !method.annotation().cache().isEmpty() && !other.method.annotation().cache().isEmpty();
    }

    /**
     * Whether both uses are one method: called on two classes, overridden, or with one annotation.
     */
    private boolean isMethodOf(Use other) {
      Method one = method.specific();
      Method two = other.method.specific();
      return method.declared().equals(other.method.declared())
          || (one.getName().equals(two.getName())
              && Arrays.equals(one.getParameterTypes(), two.getParameterTypes())
              && related(one.getDeclaringClass(), two.getDeclaringClass()));
    }

    /** Whether both are called on objects of one class; a proxy counts as its interface. */
    private boolean isBeside(Use other) {
      return related(method.target(), other.method.target());
    }

    private static boolean related(Class<?> one, Class<?> two) {
      return one.isAssignableFrom(two) || two.isAssignableFrom(one);
    }

    /** Whether this may ask for the existence of other rows than those of {@code other}. */
    private boolean asksApartFrom(Use other) {
      return content.asks && !isMeantWith(other) && !isBeside(other);
    }
  }

  /**
   * Notes the entries that a method keeps.
   *
   * @throws StartRefusedException if another method keeps other entries there
   */
  synchronized void note(String cache, Use mine) {
    List<Use> all = uses.computeIfAbsent(cache, any -> new ArrayList<>());
    for (Use other : all) {
      if (!mine.asksApartFrom(other)
          && !other.asksApartFrom(mine)
          && !mine.yieldsAsContentTo(other)
          && !other.yieldsAsContentTo(mine)) {
        requireApart(cache, mine, other);
      }
    }
    all.add(mine);
    all.forEach(use -> settle(cache, use, all));
  }

  /** Whether a method that asks {@code filter} keeps values. */
  boolean keepsValues(String filter) {
    return keeping().stream().anyMatch(use -> use.method.annotation().filter().equals(filter));
  }

  /** The types of the values that methods keep by default, by their filters. */
  Map<String, Set<String>> automatic() {
    return keeping().stream()
        .filter(use -> use.method.annotation().caching() == Caching.AUTO)
        .collect(
            Collectors.groupingBy(
                use -> use.method.annotation().filter(),
                TreeMap::new,
                Collectors.mapping(Use::type, Collectors.toSet())));
  }

  /** The uses that keep values. */
  private synchronized List<Use> keeping() {
    return uses.values().stream()
        .flatMap(List::stream)
        .filter(use -> use.values && use.keeps())
        .toList();
  }

  private static void requireApart(String cache, Use mine, Use other) {
    boolean sameType = mine.type().equals(other.type());
    mine.method.refuseIf(
        mine.values && other.values && !sameType,
        "keeps values of type {} in the cache '{}', where {} keeps values of type {}",
        KEEP_NOTHING,
        mine.type(),
        cache,
        other.name(),
        other.type());
    boolean content = mine.content.rows || other.content.rows;
    mine.method.refuseIf(
        content && !sameType,
        "shares the null entries of the cache '{}' with {}: one leaves a null entry for a key that"
            + " exists and has no rows, and the other would answer that the key is absent",
        KEEP_NOTHING,
        cache,
        other.name());
    mine.method.refuseIf(
        ((mine.values && other.values) || content)
            && !mine.isMeantWith(other)
            && !mine.isMethodOf(other),
        "shares the cache '{}' with {}, but not both name it: each would get the other's values",
        "If both return the same, set @BloomGuarded(cache = \"{}\") on both. Otherwise give one of"
            + " them a cache of its own, or set caching = NONE",
        cache,
        other.name(),
        cache);
  }

  /**
   * Ends the keeping of entries by a method whose null entries would be taken for those of another.
   */
  private static void settle(String cache, Use use, List<Use> all) {
    if (!use.mayYield()) {
      return;
    }
    boolean lookups = all.stream().anyMatch(each -> !each.content.asks);
    Optional<Use> other = all.stream().filter(each -> use.yieldsTo(each, lookups)).findFirst();
    boolean yielded = use.yields.getAndSet(other.isPresent());
    if (other.isPresent()
        && !yielded
        && all.stream().noneMatch(same -> same != use && !same.keeps() && same.isMethodOf(use))) {
      LOG.atLevel(use.asksToKeep() ? Level.WARN : Level.INFO)
          .log(
              "{} keeps nothing: its entries would answer for {} in the cache '{}'. If both find"
                  + " the same rows, name the cache on both; otherwise give this one a cache of its"
                  + " own, which the writes of its rows evict",
              use.name(),
              other.get().name(),
              cache);
    }
  }
}
