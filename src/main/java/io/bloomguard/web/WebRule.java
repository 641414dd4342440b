package io.bloomguard.web;

import java.util.Set;

/**
 * A rule for requests whose path holds a key.
 *
 * @param pattern a path pattern as in {@code @GetMapping}, such as {@code /api/products/{id}}
 * @param filter the name of a configured filter
 * @param key the variable of the pattern that is the key
 * @param type the type to which the handler converts the variable
 * @param methods the HTTP methods to check; GET and HEAD if it is empty
 * @param verify whether a few rejected keys of GET and HEAD go to the handler, whose answer 200
 *     shows that the rejection is wrong
 */
public record WebRule(
    String pattern, String filter, String key, KeyType type, Set<String> methods, boolean verify) {

  /** The methods whose answer shows whether a key exists. */
  static final Set<String> READS = Set.of("GET", "HEAD");

  /**
   * A copy of the methods; GET and HEAD in place of none.
   *
   * @param pattern a path pattern as in {@code @GetMapping}, such as {@code /api/products/{id}}
   * @param filter the name of a configured filter
   * @param key the variable of the pattern that is the key
   * @param type the type to which the handler converts the variable
   * @param methods the HTTP methods to check
   * @param verify whether a few rejected keys of GET and HEAD go to the handler, whose answer 200
   *     shows that the rejection is wrong
   */
  public WebRule {
    methods = methods.isEmpty() ? READS : Set.copyOf(methods);
  }

  /**
   * A rule for GET and HEAD without verification.
   *
   * @param pattern a path pattern as in {@code @GetMapping}
   * @param filter the name of a configured filter
   * @param key the variable of the pattern that is the key
   * @param type the type to which the handler converts the variable
   */
  public WebRule(String pattern, String filter, String key, KeyType type) {
    this(pattern, filter, key, type, READS, false);
  }
}
