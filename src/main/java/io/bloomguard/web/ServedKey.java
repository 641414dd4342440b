package io.bloomguard.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * A handler method that serves requests of a rule, and what it makes of the rule's key.
 *
 * @param handler the method, for messages
 * @param argument the type of its argument; null if that cannot be known
 * @param kind the type that stands for all with the same spellings; null as {@code argument}
 * @param unknown the reason why it cannot be known
 */
record ServedKey(
    String handler,
    @Nullable TypeDescriptor argument,
    @Nullable Class<?> kind,
    @Nullable String unknown) {

  private static final Set<Class<?>> INTEGERS =
      Set.of(Long.class, Integer.class, Short.class, Byte.class);

  /** The handlers of a context. */
  record Handlers(
      Collection<RequestMappingHandlerMapping> mappings,
      Supplier<List<ControllerAdviceBean>> advice) {

    static Handlers of(List<HandlerMapping> mappings, ApplicationContext context) {
      return new Handlers(
          mappings.stream()
              .filter(RequestMappingHandlerMapping.class::isInstance)
              .map(RequestMappingHandlerMapping.class::cast)
              .toList(),
          SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context)));
    }

    /**
     * The handlers that serve requests of a rule's pattern with a variable in the place of its key.
     *
     * @param judged whether requests of a method are judged
     */
    List<ServedKey> of(PatternPlaces pattern, Predicate<String> judged) {
      List<ServedKey> found = new ArrayList<>();
      for (RequestMappingHandlerMapping mapping : mappings) {
        mapping
            .getHandlerMethods()
            .forEach((info, handler) -> add(found, pattern, judged, info, handler));
      }
      return found;
    }

    private void add(
        List<ServedKey> found,
        PatternPlaces rule,
        Predicate<String> judged,
        RequestMappingInfo info,
        HandlerMethod handler) {
      Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
      PathPatternsRequestCondition patterns = info.getPathPatternsCondition();
      if (patterns == null
          || !methods.isEmpty() && methods.stream().noneMatch(m -> judged.test(m.name()))) {
        return;
      }
      for (String pattern : patterns.getPatternValues()) {
        String variable = rule.variableOf(pattern);
        if (variable != null) {
          found.add(key(handler, variable));
        }
      }
    }

    private ServedKey key(HandlerMethod handler, String variable) {
      String name =
          ClassUtils.getShortName(handler.getBeanType()) + "." + handler.getMethod().getName();
      MethodParameter parameter = variable.isEmpty() ? null : parameter(handler, variable);
      if (parameter == null) {
        return new ServedKey(name, null, null, "takes it by no @PathVariable of its own");
      }
      if (isBound(handler.getBeanType(), variable)) {
        return new ServedKey(name, null, null, "gets it through an @InitBinder method");
      }
      TypeDescriptor argument =
          Map.class.isAssignableFrom(parameter.getParameterType())
              ? TypeDescriptor.valueOf(String.class)
              : new TypeDescriptor(parameter.nestedIfOptional());
      Class<?> kind = kind(argument.getObjectType());
      return kind == null
          ? new ServedKey(name, null, null, "takes it as a " + argument.getType().getSimpleName())
          : new ServedKey(name, argument, kind, null);
    }

    private boolean isBound(Class<?> type, String variable) {
      return binds(type, variable)
          || advice.get().stream()
              .anyMatch(
                  advice ->
                      advice.getBeanType() != null
                          && advice.isApplicableToBeanType(type)
                          && binds(advice.getBeanType(), variable));
    }

    private static boolean binds(Class<?> type, String variable) {
      return MethodIntrospector.selectMethods(
              type, RequestMappingHandlerAdapter.INIT_BINDER_METHODS)
          .stream()
          .map(method -> AnnotatedElementUtils.findMergedAnnotation(method, InitBinder.class))
          .anyMatch(
              binder ->
                  binder != null
                      && (binder.value().length == 0
                          || List.of(binder.value()).contains(variable)));
    }
  }

  /** The type that takes every key of a kind that one of the handlers takes. */
  static TypeDescriptor widest(List<ServedKey> served, Class<?> kind) {
    TypeDescriptor first = served.get(0).argument();
    return first != null
            && served.stream()
                .map(ServedKey::argument)
                .allMatch(
                    argument ->
                        argument != null && argument.getObjectType() == first.getObjectType())
        ? first
        : TypeDescriptor.valueOf(kind);
  }

  private static @Nullable MethodParameter parameter(HandlerMethod handler, String variable) {
    for (MethodParameter parameter : handler.getMethodParameters()) {
      PathVariable annotation = parameter.getParameterAnnotation(PathVariable.class);
      if (annotation != null) {
        parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
        boolean named = !annotation.name().isEmpty();
        boolean all = !named && Map.class.isAssignableFrom(parameter.getParameterType());
        if (all || variable.equals(named ? annotation.name() : parameter.getParameterName())) {
          return parameter;
        }
      }
    }
    return null;
  }

  private static @Nullable Class<?> kind(Class<?> type) {
    if (INTEGERS.contains(type)) {
      return Long.class;
    }
    return type == String.class || type == UUID.class || type.isEnum() ? type : null;
  }

  @Override
  public String toString() {
    return handler + (argument == null ? " " + unknown : " takes it as a " + argument.getName());
  }
}
