package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.web.internal.HttpAnswers;
import io.bloomguard.web.internal.ReactiveProblems;
import io.bloomguard.web.internal.RuleRefusal;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConversionService;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/**
 * The web filter of WebFlux that answers requests for absent keys with 404, and for blacklisted
 * ones with 403, before a handler is called, as {@link BloomGuardFilter} does in servlet
 * applications.
 *
 * <p>It waits on no thread of the caller: a filter that answers from memory does so at once, and a
 * request that waits for another, or for a place in the bulkhead, continues on a thread of the
 * guard. A client that disconnects meanwhile ends the wait.
 *
 * <p>A request for which a filter cannot tell holds a place in the bulkhead until the handler has
 * completed. Guarded methods that return a publisher take no second place within it, nor do others
 * on the thread that subscribes.
 */
public final class BloomGuardWebFilter implements WebFilter, Ordered {

  private volatile List<CompiledRule> rules;
  private volatile ReactiveHandlers handlers = new ReactiveHandlers(List.of());

  /**
   * A web filter for the requests that rules name.
   *
   * @param rules the rules for the requests to check
   * @param guards the guards that decide on keys
   * @param parser the parser of the handler mapping's patterns
   * @param conversion the service that converts handler arguments
   * @throws StartRefusedException for the first rule that could never apply as meant
   */
  public BloomGuardWebFilter(
      List<WebRule> rules,
      EntryGuards guards,
      PathPatternParser parser,
      ConversionService conversion) {
    this.rules = CompiledRule.all(rules, guards, parser, conversion, false);
  }

  /**
   * Takes the types of keys, and what CORS allows, from the handlers of a context.
   *
   * @param context the context of WebFlux, whose handlers are known
   * @throws StartRefusedException for the first rule of a blacklist that could be spelled around,
   *     because the type to which its handler converts the key is another one or not known, or
   *     because its handler has paths that no rule covers
   */
  public void prepare(ApplicationContext context) {
    handlers = new ReactiveHandlers(MappedHandlers.mappings(HandlerMapping.class, context));
    MappedHandlers mapped = handlers.in(context);
    rules = rules.stream().map(rule -> rule.prepared(mapped, rules)).toList();
  }

  /** The last of all: web filters that refuse a request or rewrite its path come first. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return Mono.defer(() -> judge(exchange, chain));
  }

  private Mono<Void> judge(ServerWebExchange exchange, WebFilterChain chain) {
    RequestCheck check = new RequestCheck(rules, new ReactiveAsked(exchange));
    RequestCheck.Question first = check.next();
    if (first == null) {
      return chain.filter(exchange);
    }
    RequestHolds holds = new RequestHolds();
    return Mono.defer(() -> refusal(check, first, holds))
        .onErrorResume(RuntimeException.class, failure -> Mono.just(RuleRefusal.of(failure)))
        .singleOptional()
        .flatMap(
            refusal -> {
              if (refusal.isPresent()) {
                holds.giveUp();
                return refuse(refusal.get(), exchange);
              }
              return holds.nothing()
                  ? chain.filter(exchange)
                  : within(holds, held(holds, exchange, chain));
            })
        .doFinally(end -> holds.giveUp());
  }

  /** Asks the questions from one on, until one refuses. A client that goes ends the wait. */
  private static Mono<RuleRefusal> refusal(
      RequestCheck check, RequestCheck.@Nullable Question question, RequestHolds holds) {
    if (question == null) {
      return Mono.empty();
    }
    Object key = question.key();
    boolean taken = question.isTaken();
    Mono<Boolean> answer =
        !taken || key == null
            ? Mono.just(taken)
            : Mono.fromFuture(() -> question.askLater(key, holds))
                .map(pass -> question.passes(pass, holds))
                .doOnDiscard(Pass.class, Pass::close);
    return answer.flatMap(
        passes -> passes ? refusal(check, check.next(), holds) : Mono.just(question.refusal()));
  }

  private Mono<Void> refuse(RuleRefusal refusal, ServerWebExchange exchange) {
    ServerHttpResponse response = exchange.getResponse();
    return handlers
        .allow(exchange)
        .flatMap(
            allowed ->
                allowed ? ReactiveProblems.write(refusal, response) : response.setComplete());
  }

  /** The handler's work. All is given back before the answer is there: the next finds a place. */
  private static Mono<Void> held(
      RequestHolds holds, ServerWebExchange exchange, WebFilterChain chain) {
    return chain
        .filter(exchange)
        .doOnSuccess(nothing -> holds.end(status(exchange), isEmpty(exchange)))
        .doOnError(failure -> holds.end(status(failure, exchange), true));
  }

  /** WebFlux tells of the length of what an empty publisher leaves. */
  private static boolean isEmpty(ServerWebExchange exchange) {
    return exchange.getResponse().getHeaders().getContentLength() == 0;
  }

  private static int status(ServerWebExchange exchange) {
    HttpStatusCode status = exchange.getResponse().getStatusCode();
    return status == null ? HttpStatus.OK.value() : status.value();
  }

  /** The status with which WebFlux answers a failure behind this filter; 0 if that is not known. */
  private static int status(Throwable failure, ServerWebExchange exchange) {
    HttpStatusCode status =
        exchange.getResponse().isCommitted() ? null : HttpAnswers.status(failure);
    return status == null || !status.isError() ? 0 : status.value();
  }

  /** The handler's work in the place and the trials of its request. */
  private static Mono<Void> within(RequestHolds holds, Mono<Void> work) {
    Supplier<Scope> here = holds::enter;
    Mono<Void> carrying = work.contextWrite(context -> context.put(Entered.CARRIED, here));
    return Mono.from(
        subscriber -> {
          try (Scope entered = here.get()) {
            carrying.subscribe(subscriber);
          }
        });
  }
}
