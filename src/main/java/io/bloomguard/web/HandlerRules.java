package io.bloomguard.web;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.ValueType;
import io.bloomguard.web.HandlerLookup.NotDecidedException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The finder of the guarded handler methods for which the servlet filter decides. Where a part of
 * the application could answer before the handler, or change its key, the handler decides by
 * itself.
 */
final class HandlerRules {

  private static final Logger log = LoggerFactory.getLogger(HandlerRules.class);

  private final ApplicationContext context;
  private final HandlerLookup.Finder lookups;
  private final BloomGuards guards;
  private final RejectionResolver answers;
  private final List<HandlerRule> rules = new ArrayList<>();

  /** Found for the first guarded handler: the search looks at every bean. */
  private @Nullable List<ControllerAdviceBean> advice;

  private HandlerRules(
      ApplicationContext context,
      HandlerLookup.Finder lookups,
      BloomGuards guards,
      RejectionResolver answers) {
    this.answers = answers;
    this.context = context;
    this.lookups = lookups;
    this.guards = guards;
  }

  /** Finds and logs them. */
  static List<HandlerRule> find(
      ApplicationContext context,
      HandlerLookup.Finder lookups,
      BloomGuards guards,
      RejectionResolver answers) {
    HandlerRules found = new HandlerRules(context, lookups, guards, answers);
    context.getBeansOfType(RequestMappingHandlerMapping.class).values().forEach(found::addAll);
    if (!found.rules.isEmpty()) {
      log.info(
          "Absent keys of these handlers are rejected by the servlet filter, for GET and HEAD,"
              + " unless an interceptor or CORS is before them: {}",
          found.rules);
    }
    return List.copyOf(found.rules);
  }

  private void addAll(RequestMappingHandlerMapping mapping) {
    PathPatternParser parser = mapping.getPatternParser();
    if (parser != null) {
      mapping.getHandlerMethods().forEach((info, handler) -> add(info, parser, handler));
    }
  }

  private void add(RequestMappingInfo mapping, PathPatternParser parser, HandlerMethod handler) {
    try {
      HandlerLookup lookup = lookups.find(handler);
      if (lookup != null) {
        add(mapping, parser, handler, lookup);
      }
    } catch (NotDecidedException e) {
      log.debug("{} is not decided in the servlet filter: {}", handler, e.getMessage());
    }
  }

  private void add(
      RequestMappingInfo mapping,
      PathPatternParser parser,
      HandlerMethod handler,
      HandlerLookup lookup)
      throws NotDecidedException {
    Set<RequestMethod> methods = mapping.getMethodsCondition().getMethods();
    PathPatternsRequestCondition patterns = mapping.getPathPatternsCondition();
    if (patterns == null) {
      throw new NotDecidedException("its path is matched by an AntPathMatcher");
    }
    if (!methods.isEmpty()
        && !methods.contains(RequestMethod.GET)
        && !methods.contains(RequestMethod.HEAD)) {
      throw new NotDecidedException("it is mapped neither to GET nor to HEAD");
    }
    if (!answers.answersAbsent(handler)) {
      throw new NotDecidedException("the application has a part in the answer to its exception");
    }
    requireNothingBefore(handler);
    HandlerKey key = HandlerKey.of(handler, lookup.parameter(), adapter());
    String filter = lookup.filter();
    var guard =
        guards.guard(
            filter, filter, ValueType.of(Object.class), EntryPoint.METHOD, lookup.caller());
    patterns
        .getPatterns()
        .forEach(
            pattern ->
                rules.add(new HandlerRule(pattern, parser, handler, key, guard, lookup.caller())));
  }

  private RequestMappingHandlerAdapter adapter() throws NotDecidedException {
    Collection<RequestMappingHandlerAdapter> adapters =
        context.getBeansOfType(RequestMappingHandlerAdapter.class).values();
    RequestMappingHandlerAdapter adapter = adapters.size() == 1 ? adapters.iterator().next() : null;
    if (adapter == null || adapter.getClass() != RequestMappingHandlerAdapter.class) {
      throw new NotDecidedException("the application calls its handlers in a way of its own");
    }
    return adapter;
  }

  /**
   * Refuses a handler before whose call methods of the application run, or arguments are checked.
   */
  private void requireNothingBefore(HandlerMethod handler) throws NotDecidedException {
    Class<?> type = handler.getBeanType();
    if (handler.createWithValidateFlags().shouldValidateArguments()) {
      throw new NotDecidedException("its arguments are validated");
    }
    if (AnnotatedElementUtils.hasAnnotation(type, SessionAttributes.class)
        || runsBefore(type)
        || advice().stream()
            .anyMatch(
                advice ->
                    advice.getBeanType() == null
                        || advice.isApplicableToBeanType(type)
                            && runsBefore(advice.getBeanType()))) {
      throw new NotDecidedException("an @InitBinder or @ModelAttribute method runs before it");
    }
  }

  private List<ControllerAdviceBean> advice() {
    List<ControllerAdviceBean> found = advice;
    if (found == null) {
      found = ControllerAdviceBean.findAnnotatedBeans(context);
      advice = found;
    }
    return found;
  }

  private static boolean runsBefore(Class<?> type) {
    return has(type, RequestMappingHandlerAdapter.INIT_BINDER_METHODS)
        || has(type, RequestMappingHandlerAdapter.MODEL_ATTRIBUTE_METHODS);
  }

  private static boolean has(Class<?> type, MethodFilter methods) {
    Set<Method> found = MethodIntrospector.selectMethods(type, methods);
    return !found.isEmpty();
  }
}
