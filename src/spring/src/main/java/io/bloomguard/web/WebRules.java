package io.bloomguard.web;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.internal.Problem;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The rules of an application in their order, and the questions that they ask of a request: one
 * sequence for servlets, which wait for each answer, and for WebFlux, which must not.
 *
 * <p>A request that the handler would not take (another path, a variable that does not convert) is
 * under no question, and nor is one that goes to another annotated handler, unless the filter is a
 * blacklist. If several rules match a request, each asks, until one refuses.
 *
 * @param <R> the requests of a web framework
 */
final class WebRules<R> {

  private final List<CompiledRule<R>> rules;
  private final RequestReading<R> requests;

  /**
   * @throws InvalidWebRuleException for the first rule that could never apply as meant
   */
  WebRules(
      List<WebRule> rules,
      EntryGuards guards,
      PathPatternParser parser,
      ConversionService conversion,
      RequestReading<R> requests) {
    this.rules =
        rules.stream().map(rule -> new CompiledRule<R>(rule, guards, parser, conversion)).toList();
    this.requests = requests;
  }

  /**
   * Takes the types of keys from the handlers.
   *
   * @throws InvalidWebRuleException for the first rule of a blacklist that could be spelled around
   */
  void prepare(MappedHandlers<R> handlers) {
    rules.forEach(rule -> rule.prepare(handlers, rules));
  }

  /**
   * The first question about a request; null if it passes unasked.
   *
   * @throws InvalidKeyException if its path is not well-formed
   */
  @Nullable Question first(R request) {
    return question(request, null, 0);
  }

  private @Nullable Question question(R request, @Nullable PathContainer parsed, int from) {
    String method = requests.method(request);
    PathContainer path = parsed;
    for (int i = from; i < rules.size(); i++) {
      CompiledRule<R> rule = rules.get(i);
      if (rule.judges(method)
          && !requests.isPreFlight(request)
          && (path != null || rule.mayMatch(requests.uri(request)))) {
        if (path == null) {
          path = requests.path(request);
        }
        Object key = rule.key(request, path, requests);
        if (key != null) {
          return new Question(request, path, i, rule, key);
        }
      }
    }
    return null;
  }

  /** The question of one rule, whether the key of a request may pass. */
  final class Question {

    private final R request;
    private final PathContainer path;
    private final int place;
    private final CompiledRule<R> rule;
    private final Object key;

    Question(R request, PathContainer path, int place, CompiledRule<R> rule, Object key) {
      this.request = request;
      this.path = path;
      this.place = place;
      this.rule = rule;
      this.key = key;
    }

    /**
     * Asks, and waits for the answer.
     *
     * @param holds gets the place that the request needs, or the trial of a rejected key that
     *     passes
     * @return false if the key is rejected
     * @throws RequestShedException if the request is to come again later
     * @throws InvalidKeyException if the key breaks the rules for keys
     */
    boolean ask(RequestHolds holds) {
      return rule.asks(requests.method(request), key, holds);
    }

    /** Asks for a decision alone, for a caller that does not see how the request ends. */
    boolean decide() {
      return rule.decides(key);
    }

    /** {@link #ask Asks} for a caller whose thread must not wait. */
    CompletableFuture<Boolean> askAsync(RequestHolds holds) {
      return rule.asksAsync(requests.method(request), key, holds);
    }

    /** The answer to the request if the key is rejected. */
    Problem refusal() {
      return rule.refusal();
    }

    /** The question of a later rule; null if the request passes. */
    @Nullable Question next() {
      return question(request, path, place + 1);
    }
  }
}
