package io.bloomguard.web;

import java.util.Set;
import java.util.function.Predicate;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.util.pattern.PathPattern;

/**
 * A pattern of a handler method.
 *
 * @param place the place of its mapping among those of the framework
 * @param annotated whether path variables go to annotated parameters
 * @param methods those that the mapping takes; empty for all
 * @param takes whether the mapping takes a request whose path matches the pattern
 */
record MappedHandler(
    int place,
    boolean annotated,
    Set<RequestMethod> methods,
    PathPattern pattern,
    HandlerMethod handler,
    Predicate<AskedRequest> takes) {

  /** Whether requests with some of the methods that a rule judges come here. */
  boolean takesSome(CompiledRule rule) {
    return methods.isEmpty() || methods.stream().anyMatch(method -> rule.judges(method.name()));
  }

  /** The pattern's text. */
  String path() {
    return pattern.getPatternString();
  }

  /** Whether a path of both patterns comes here. */
  boolean precedes(MappedHandler other) {
    return place < other.place
        || place == other.place
            && PathPattern.SPECIFICITY_COMPARATOR.compare(pattern, other.pattern) < 0;
  }
}
