package io.bloomguard.aop;

import io.bloomguard.annotation.BloomGuarded;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the guarded methods of an application keep in each cache, so that no method is answered with
 * what another one keeps.
 */
final class CacheUses {

  private static final Logger LOG = LoggerFactory.getLogger(CacheUses.class);

  private static final String OWN_CACHE =
      "Give one of them a cache of its own: @BloomGuarded(cache = \"...\")";

  private final Map<String, List<Use>> uses = new ConcurrentHashMap<>();

  /**
   * What one method keeps.
   *
   * @param type of its values
   * @param shared whether it keeps values, not null entries alone
   * @param content whether a null entry of it tells that a key has nothing, as an empty list and a
   *     count of 0 do, not that there is no such key
   * @param named whether the annotation names the cache, so that sharing it is meant
   * @param owner the class of the object that is called
   */
  private record Use(
      String method, String type, boolean shared, boolean content, boolean named, Class<?> owner) {

    /** Whether it tells of existence alone, which may be that of a row of another table. */
    boolean exists() {
      return type.equals(Boolean.class.getName());
    }
  }

  /**
   * Notes what a method keeps.
   *
   * @throws GuardedMethodException if another one keeps something else there
   */
  void note(
      AnnotatedMethod<BloomGuarded> method,
      String cache,
      Type type,
      boolean shared,
      boolean content) {
    String name = GuardedMethodException.describe(method.specific());
    Use mine =
        new Use(
            name,
            type.getTypeName(),
            shared,
            content,
            !method.annotation().cache().isEmpty(),
            method.target());
    List<Use> others = uses.computeIfAbsent(cache, any -> new CopyOnWriteArrayList<>());
    for (Use other : others) {
      if (!other.type().equals(mine.type())) {
        requireApart(method, cache, mine, other);
      }
      warnOfSharing(cache, mine, other);
    }
    others.add(mine);
    if (shared) {
      warnOfLeftOut(method, name);
    }
  }

  /** Two lookups may answer the same for a key, or not: only their owner knows. */
  private static void warnOfSharing(String cache, Use mine, Use other) {
    boolean share =
        (mine.shared() && other.shared())
            || mine.content()
            || other.content()
            || ((mine.exists() || other.exists()) && !mine.owner().equals(other.owner()));
    if (share && !mine.method().equals(other.method()) && !(mine.named() && other.named())) {
      LOG.warn(
          "{} and {} share the cache '{}': for a key, each is answered with what the other has"
              + " loaded. Where they answer the same, name the cache in both; otherwise give one of"
              + " them a cache of its own: @BloomGuarded(cache = \"...\")",
          other.method(),
          mine.method(),
          cache);
    }
  }

  private static void warnOfLeftOut(AnnotatedMethod<BloomGuarded> method, String name) {
    String key = method.annotation().key();
    List<String> leftOut = KeyCompiler.leftOut(method, key);
    if (!leftOut.isEmpty()) {
      LOG.warn(
          "{} keeps values by the key \"{}\", which leaves out {}: callers with other values of"
              + " these are answered alike. Where that is wrong, set caching = NULLS or NONE",
          name,
          key,
          leftOut);
    }
  }

  private static void requireApart(
      AnnotatedMethod<BloomGuarded> method, String cache, Use mine, Use other) {
    if (mine.shared() && other.shared()) {
      throw method.refuse(
          "keeps values of type "
              + mine.type()
              + " in the cache '"
              + cache
              + "', where "
              + other.method()
              + " keeps values of type "
              + other.type(),
          OWN_CACHE);
    }
    if (mine.content() || other.content()) {
      throw method.refuse(
          "shares the null entries of the cache '"
              + cache
              + "' with "
              + other.method()
              + ": one of them leaves a null entry for a key that exists and has nothing (an empty"
              + " collection, a count of 0), and the other would be answered that the key is absent",
          OWN_CACHE + ", or keep nothing of what may be empty: caching = NONE");
    }
  }
}
