package io.bloomguard.web;

import io.bloomguard.guard.StartRefusedException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A rule for requests whose path holds a key. An absent key is answered with 404.
 *
 * @param pattern A path pattern, such as /api/products/{id}.
 * @param filter The name of a configured filter.
 * @param key The variable of the pattern that is the key.
 * @param type The type to which the handler converts the variable, if the annotated handler that
 *     serves the pattern does not tell it: string, long or uuid.
 * @param methods The HTTP methods that are judged: without a value GET and HEAD, and for a
 *     blacklist every method but OPTIONS. HEAD is judged where GET is.
 * @param verify Whether a few rejected keys of GET and HEAD go to the handler, whose answer shows
 *     whether the rejection is wrong.
 * @param found The statuses that show, with verify, that a key exists.
 * @param absent The statuses that show, with verify, that a key does not exist.
 * @param scope Where the scope of the filter's keys is in the request, for a filter with
 *     keys.scope: a variable of the pattern, or header: and the name of a header.
 */
public record WebRule(
    String pattern,
    String filter,
    String key,
    @Nullable KeyType type,
    @DefaultValue Set<String> methods,
    @DefaultValue("false") boolean verify,
    @DefaultValue("200") Set<Integer> found,
    @DefaultValue("404") Set<Integer> absent,
    @DefaultValue("") String scope) {

  /** The status that shows that a key exists, unless a rule names others. */
  static final Set<Integer> FOUND = Set.of(200);

  /** The status that shows that a key does not exist, unless a rule names others. */
  static final Set<Integer> ABSENT = Set.of(404);

  /** The beginning of a scope that a header has. */
  private static final String HEADER = "header:";

  /** The methods whose answer shows whether a key exists. */
  static final Set<String> READS = Set.of("GET", "HEAD");

  /**
   * Copies of the sets.
   *
   * @param pattern a path pattern as in {@code @GetMapping}, such as {@code /api/products/{id}}
   * @param filter the name of a configured filter
   * @param key the variable of the pattern that is the key
   * @param type the type to which the handler converts the variable, null for the handler's
   * @param methods the HTTP methods to check
   * @param verify whether a few rejected keys of GET and HEAD go to the handler, whose answer shows
   *     whether the rejection is wrong
   * @param found the statuses that show that a key exists
   * @param absent the statuses that show that it does not
   * @param scope a variable of the pattern, {@code header:} and a name, or empty
   */
  @ConstructorBinding
  public WebRule {
    methods = Set.copyOf(methods);
    found = Set.copyOf(found);
    absent = Set.copyOf(absent);
  }

  StartRefusedException refusal(String problem, String action) {
    return new StartRefusedException("The web rule for \"" + pattern + "\" " + problem, action);
  }

  /** Refuses the rule if it has a fault. */
  void refuseIf(boolean faulty, String problem, String action) {
    if (faulty) {
      throw refusal(problem, action);
    }
  }

  /**
   * A rule of a filter whose keys have no scope.
   *
   * @param pattern a path pattern as in {@code @GetMapping}
   * @param filter the name of a configured filter
   * @param key the variable of the pattern that is the key
   * @param type the type to which the handler converts the variable, null for the handler's
   * @param methods the HTTP methods to check
   * @param verify whether a few rejected keys of GET and HEAD go to the handler
   * @param found the statuses that show that a key exists
   * @param absent the statuses that show that it does not
   */
  public WebRule(
      String pattern,
      String filter,
      String key,
      @Nullable KeyType type,
      Set<String> methods,
      boolean verify,
      Set<Integer> found,
      Set<Integer> absent) {
    this(pattern, filter, key, type, methods, verify, found, absent, "");
  }

  /**
   * A rule for whose verification 200 shows that a key exists, and 404 that it does not.
   *
   * @param pattern a path pattern as in {@code @GetMapping}
   * @param filter the name of a configured filter
   * @param key the variable of the pattern that is the key
   * @param type the type to which the handler converts the variable, null for the handler's
   * @param methods the HTTP methods to check
   * @param verify whether a few rejected keys of GET and HEAD go to the handler
   */
  public WebRule(
      String pattern,
      String filter,
      String key,
      @Nullable KeyType type,
      Set<String> methods,
      boolean verify) {
    this(pattern, filter, key, type, methods, verify, FOUND, ABSENT);
  }

  /**
   * A rule for the default methods without verification.
   *
   * @param pattern a path pattern as in {@code @GetMapping}
   * @param filter the name of a configured filter
   * @param key the variable of the pattern that is the key
   * @param type the type to which the handler converts the variable, null for the handler's
   */
  public WebRule(String pattern, String filter, String key, @Nullable KeyType type) {
    this(pattern, filter, key, type, Set.of(), false);
  }

  /** The name of the header that has the scope; null if none has. */
  @Nullable String scopeHeader() {
    return scope.startsWith(HEADER) ? scope.substring(HEADER.length()) : null;
  }
}
