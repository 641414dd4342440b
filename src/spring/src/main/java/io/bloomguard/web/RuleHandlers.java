package io.bloomguard.web;

import io.bloomguard.guard.StartRefusedException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.convert.TypeDescriptor;

/**
 * A rule beside the annotated handlers that serve its requests.
 *
 * @param blacklist whether another spelling of a key would pass the rule
 * @param served the handlers, and what each makes of the key
 * @param kinds the types of the keys, without those that cannot be known
 */
record RuleHandlers(WebRule rule, boolean blacklist, List<ServedKey> served, Set<Class<?>> kinds) {

  private static final Logger log = LoggerFactory.getLogger(RuleHandlers.class);

  RuleHandlers(WebRule rule, boolean blacklist, List<ServedKey> served) {
    this(rule, blacklist, served, ServedKey.kinds(served));
  }

  /** The type of the key: that of the rule, or of the handlers if they have one; null otherwise. */
  @Nullable Class<?> kind() {
    KeyType type = rule.type();
    return type != null ? type.type() : kinds.size() == 1 ? kinds.iterator().next() : null;
  }

  /** What handlers convert the key to; null if none converts it to the type of the key. */
  @Nullable TypeDescriptor argument() {
    Class<?> kind = kind();
    return kind != null && kinds.contains(kind) ? ServedKey.widest(served, kind) : null;
  }

  /**
   * Looks for doubts about the spellings of a key: a blacklist is refused, another rule warned of.
   *
   * @param routed whether there may be handlers that are not annotated
   * @throws StartRefusedException if a blacklist could be spelled around
   */
  void requireOneSpelling(boolean routed) {
    KeyType type = rule.type();
    String key = "{" + rule.key() + "}";
    boolean known = kinds.size() == 1 && served.stream().allMatch(one -> one.kind() != null);
    if (served.stream().anyMatch(ServedKey::several)) {
      doubt(
          "judges one key, but the path may hold several in " + key + ": " + served,
          "Let the handler take one, or judge the keys by @BloomGuarded on a method");
    } else if (type != null && !kinds.isEmpty() && !kinds.contains(type.type())) {
      String name = type.name().toLowerCase(Locale.ROOT);
      doubt(
          "has type: " + name + ", but of the key " + key + ": " + served,
          "Leave type out: the rule then reads the key as the handler does");
    } else if (type == null && (blacklist ? !known : kind() == null && !served.isEmpty())) {
      doubt(
          "cannot tell as what its handler takes the key "
              + key
              + ": "
              + (served.isEmpty() ? "no annotated handler serves the pattern" : served),
          "Set type to string, long or uuid, as the handler takes it");
    } else if (served.isEmpty() && !routed) {
      log.warn(
          "{}",
          rule.refusal(
                  "judges no request of an annotated handler, and there are no functional routes",
                  "Write the pattern as the handler does, without context path and servlet path")
              .getMessage());
    }
  }

  private void doubt(String problem, String action) {
    rule.refuseIf(blacklist, problem, action);
    log.warn(
        "{}. Spellings of a key that only the handler knows are rejected",
        rule.refusal(problem, action).getMessage());
  }

  /**
   * Refuses a blacklist whose keys reach a handler by another of its paths.
   *
   * @param own the rule
   * @param rules all rules
   */
  void requireWhole(MappedHandlers mapped, CompiledRule own, List<CompiledRule> rules) {
    PatternPlaces places = own.places();
    for (ServedKey key : served) {
      boolean named = !key.variable().isEmpty();
      rule.refuseIf(
          named && key.kind() != String.class && places.isNarrowerThan(key.mapped().path()),
          ("is a blacklist's, and its expression leaves out spellings of the handler's %s: %s")
              .formatted(key.mapped().path(), key),
          "Write {" + rule.key() + "} without an expression, or the handler's");
      for (String path : mapped.siblings(key, own::judges)) {
        requireRule(rules, path, key.variable(), key);
      }
      if (named && places.endsBefore(key.mapped().path())) {
        requireRule(rules, own.pattern().text() + "/**", rule.key(), key);
      }
    }
  }

  private void requireRule(
      List<CompiledRule> rules, String path, String variable, ServedKey handler) {
    rule.refuseIf(
        rules.stream().noneMatch(other -> other.covers(rule, path, variable)),
        "is a blacklist's, but its handler also serves " + path + ": " + handler,
        "Add a rule with the pattern " + path + ", or let the handler have one pattern");
  }
}
