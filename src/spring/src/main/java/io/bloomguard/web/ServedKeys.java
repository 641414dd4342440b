package io.bloomguard.web;

import io.bloomguard.guard.StartRefusedException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.convert.TypeDescriptor;

/** The annotated handlers that serve the requests of a rule, and what each makes of a variable. */
record ServedKeys(CompiledRule compiled, List<ServedKey> all) {

  private static final Logger log = LoggerFactory.getLogger(ServedKeys.class);

  /** The types of the keys, without those that cannot be known. */
  private Set<Class<?>> kinds() {
    return all.stream()
        .map(ServedKey::kind)
        .filter(Objects::nonNull)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** The parameters that go before the path in some of the handlers. */
  Set<String> overriding() {
    return all.stream()
        .filter(ServedKey::isOverridden)
        .map(ServedKey::variable)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The type of the key: that of the rule, or of the handlers if they have one; null otherwise. */
  @Nullable Class<?> kind(@Nullable KeyType type) {
    Set<Class<?>> kinds = kinds();
    return type != null ? type.type() : kinds.size() == 1 ? kinds.iterator().next() : null;
  }

  /**
   * A type that takes every key of the rule's kind that one of the handlers takes; null if none
   * takes keys of that kind.
   */
  @Nullable TypeDescriptor argument(@Nullable KeyType type) {
    Class<?> kind = kind(type);
    if (kind == null || !kinds().contains(kind)) {
      return null;
    }
    TypeDescriptor first = all.get(0).argument();
    return first != null && all.stream().allMatch(one -> one.isTakenAs(first.getObjectType()))
        ? first
        : TypeDescriptor.valueOf(kind);
  }

  /**
   * Looks for doubts about the spellings of a key: a blacklist is refused, another rule warned of.
   *
   * @param routed whether there may be handlers that are not annotated
   * @throws StartRefusedException if a blacklist could be spelled around
   */
  void requireOneSpelling(boolean routed) {
    WebRule rule = compiled.rule();
    KeyType type = rule.type();
    String key = "{" + rule.key() + "}";
    Set<Class<?>> kinds = kinds();
    boolean known = kinds.size() == 1 && all.stream().allMatch(one -> one.kind() != null);
    if (all.stream().anyMatch(ServedKey::several)) {
      doubt(
          "judges one key, but the path may hold several in " + key + ": " + all,
          "Let the handler take one, or judge the keys by @BloomGuarded on a method");
    } else if (type != null && !kinds.isEmpty() && !kinds.contains(type.type())) {
      String name = type.name().toLowerCase(Locale.ROOT);
      doubt(
          "has type: " + name + ", but of the key " + key + ": " + all,
          "Leave type out: the rule then reads the key as the handler does");
    } else if (type == null
        && (compiled.isBlacklist() ? !known : kinds.size() != 1 && !all.isEmpty())) {
      String takers = all.isEmpty() ? "no annotated handler serves the pattern" : all.toString();
      doubt(
          "cannot tell as what its handler takes the key " + key + ": " + takers,
          "Set type to string, long or uuid, as the handler takes it");
    } else if (all.isEmpty() && !routed) {
      String problem =
          "judges no request of an annotated handler, and there are no functional routes";
      String action =
          "Write the pattern as the handler does, without context path and servlet path";
      log.warn("{}", rule.refusal(problem, action).getMessage());
    }
  }

  private void doubt(String problem, String action) {
    WebRule rule = compiled.rule();
    rule.refuseIf(compiled.isBlacklist(), problem, action);
    log.warn(
        "{}. Spellings of a key that only the handler knows are rejected",
        rule.refusal(problem, action).getMessage());
  }

  /**
   * Refuses a blacklist whose keys reach a handler by another of its paths.
   *
   * @param rules all rules
   */
  void requireWhole(MappedHandlers mapped, List<CompiledRule> rules) {
    WebRule rule = compiled.rule();
    PatternPlaces places = compiled.pattern().places(rule.key());
    for (ServedKey key : compiled.isBlacklist() ? all : List.<ServedKey>of()) {
      boolean named = !key.variable().isEmpty();
      String path = key.mapped().path();
      rule.refuseIf(
          named && key.kind() != String.class && places.isNarrowerThan(path),
          ("is a blacklist's, and its expression leaves out spellings of the handler's %s: %s")
              .formatted(path, key),
          "Write {" + rule.key() + "} without an expression, or the handler's");
      mapped
          .siblings(key, compiled)
          .forEach(sibling -> requireRule(rules, sibling, key.variable(), key));
      if (named && places.endsBefore(path)) {
        requireRule(rules, compiled.pattern().text() + "/**", rule.key(), key);
      }
    }
  }

  private void requireRule(
      List<CompiledRule> rules, String path, String variable, ServedKey handler) {
    WebRule rule = compiled.rule();
    rule.refuseIf(
        rules.stream().noneMatch(other -> other.covers(rule, path, variable)),
        "is a blacklist's, but its handler also serves " + path + ": " + handler,
        "Add a rule with the pattern " + path + ", or let the handler have one pattern");
  }
}
