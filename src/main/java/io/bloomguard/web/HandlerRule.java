package io.bloomguard.web;

import io.bloomguard.guard.BloomGuard;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.server.PathContainer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** A handler method for which the servlet filter decides, under one of its patterns. */
final class HandlerRule {

  private static final Logger log = LoggerFactory.getLogger(HandlerRule.class);

  private final PathPattern pattern;
  private final String beginning;
  private final Method method;
  private final Class<?> type;
  private final HandlerKey key;
  private final BloomGuard<Object> guard;
  private final String caller;
  private final AtomicBoolean left = new AtomicBoolean();

  HandlerRule(
      PathPattern pattern,
      PathPatternParser parser,
      HandlerMethod handler,
      HandlerKey key,
      BloomGuard<Object> guard,
      String caller) {
    this.pattern = pattern;
    this.beginning = CompiledRule.beginning(pattern, parser);
    this.method = handler.getMethod();
    this.type = handler.getBeanType();
    this.key = key;
    this.guard = guard;
    this.caller = caller;
  }

  /** As {@link CompiledRule#mayMatch(String)}. */
  boolean mayMatch(String uri) {
    return CompiledRule.mayMatch(beginning, uri);
  }

  /** The variables of a path that the pattern matches; null if it does not. */
  @Nullable Map<String, String> match(PathContainer path) {
    PathPattern.PathMatchInfo match = pattern.matchAndExtract(path);
    return match == null ? null : match.getUriVariables();
  }

  HandlerKey key() {
    return key;
  }

  BloomGuard<Object> guard() {
    return guard;
  }

  boolean isOf(HandlerMethod handler) {
    return handler.getMethod().equals(method) && handler.getBeanType() == type;
  }

  /** Logs, once, that the handler decides by itself. */
  void leave(String reason) {
    if (left.compareAndSet(false, true)) {
      log.info("{} is not decided in the servlet filter: {}", caller, reason);
    }
  }

  @Override
  public String toString() {
    return pattern.getPatternString() + " (" + caller + ")";
  }
}
