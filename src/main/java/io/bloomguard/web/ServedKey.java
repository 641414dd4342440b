package io.bloomguard.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.support.WebBindingInitializer;
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
 * @param kind the type that stands for all with the same spellings; null if there is none
 * @param unknown the reason why there is none
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
      Supplier<List<ControllerAdviceBean>> advice,
      Supplier<List<WebBindingInitializer>> binders) {

    static Handlers of(List<HandlerMapping> mappings, ApplicationContext context) {
      return new Handlers(
          mappings.stream()
              .filter(RequestMappingHandlerMapping.class::isInstance)
              .map(RequestMappingHandlerMapping.class::cast)
              .toList(),
          SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context)),
          SingletonSupplier.of(
              () ->
                  context.getBeanProvider(RequestMappingHandlerAdapter.class).stream()
                      .map(RequestMappingHandlerAdapter::getWebBindingInitializer)
                      .filter(Objects::nonNull)
                      .toList()));
    }

    /**
     * The handlers that serve requests of a rule's pattern with a variable in the place of its key.
     *
     * @param judged whether requests of a method are judged
     * @param conversion the service that converts the key for the rule
     */
    List<ServedKey> of(
        PatternPlaces pattern, Predicate<String> judged, ConversionService conversion) {
      List<ServedKey> found = new ArrayList<>();
      for (RequestMappingHandlerMapping mapping : mappings) {
        mapping
            .getHandlerMethods()
            .forEach((info, handler) -> add(found, pattern, judged, info, handler, conversion));
      }
      return found;
    }

    private void add(
        List<ServedKey> found,
        PatternPlaces rule,
        Predicate<String> judged,
        RequestMappingInfo info,
        HandlerMethod handler,
        ConversionService conversion) {
      Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
      PathPatternsRequestCondition patterns = info.getPathPatternsCondition();
      if (patterns == null
          || !methods.isEmpty() && methods.stream().noneMatch(m -> judged.test(m.name()))) {
        return;
      }
      for (String pattern : patterns.getPatternValues()) {
        String variable = rule.variableOf(pattern);
        if (variable != null) {
          add(found, handler, variable, conversion);
        }
      }
    }

    private void add(
        List<ServedKey> found,
        HandlerMethod handler,
        String variable,
        ConversionService conversion) {
      String name =
          ClassUtils.getShortName(handler.getBeanType()) + "." + handler.getMethod().getName();
      List<MethodParameter> parameters =
          variable.isEmpty() ? List.of() : parameters(handler, variable);
      if (parameters.isEmpty()) {
        found.add(new ServedKey(name, null, null, "takes it by no @PathVariable of its own"));
      } else if (isBound(handler.getBeanType(), variable)) {
        found.add(new ServedKey(name, null, null, "gets it through an @InitBinder method"));
      } else {
        parameters.forEach(parameter -> found.add(key(name, parameter, conversion)));
      }
    }

    private ServedKey key(String name, MethodParameter parameter, ConversionService conversion) {
      TypeDescriptor argument =
          isMapOf(parameter)
              ? TypeDescriptor.valueOf(String.class)
              : new TypeDescriptor(parameter.nestedIfOptional());
      if (!isMapOf(parameter)
          && binders.get().stream()
              .anyMatch(binder -> converts(binder, argument.getType(), conversion))) {
        return new ServedKey(name, null, null, "gets it through a WebBindingInitializer");
      }
      Class<?> kind = kind(argument.getObjectType());
      return kind == null
          ? new ServedKey(
              name, argument, null, "takes it as a " + argument.getType().getSimpleName())
          : new ServedKey(name, argument, kind, null);
    }

    private static boolean isMapOf(MethodParameter parameter) {
      return Map.class.isAssignableFrom(parameter.getParameterType());
    }

    /** Whether a binder converts otherwise than the service, by an editor of the application's. */
    private static boolean converts(
        WebBindingInitializer initializer, Class<?> type, ConversionService conversion) {
      WebDataBinder binder = new WebDataBinder(null);
      try {
        initializer.initBinder(binder);
      } catch (RuntimeException e) {
        return true; // it needs a request
      }
      return binder.getConversionService() != conversion
          || binder.findCustomEditor(type, null) != null;
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

  /** The parameters that get the variable: a handler may take it as text and as a number. */
  private static List<MethodParameter> parameters(HandlerMethod handler, String variable) {
    List<MethodParameter> found = new ArrayList<>();
    for (MethodParameter parameter : handler.getMethodParameters()) {
      PathVariable annotation = parameter.getParameterAnnotation(PathVariable.class);
      if (annotation != null) {
        parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
        boolean named = !annotation.name().isEmpty();
        boolean all = !named && Handlers.isMapOf(parameter);
        if (all || variable.equals(named ? annotation.name() : parameter.getParameterName())) {
          found.add(parameter);
        }
      }
    }
    return found;
  }

  /** Whether the handler takes several keys from the variable, which no type of a rule says. */
  boolean several() {
    return argument != null && (argument.isCollection() || argument.isArray());
  }

  private static @Nullable Class<?> kind(Class<?> type) {
    if (INTEGERS.contains(type)) {
      return Long.class;
    }
    return type == String.class || type == UUID.class || type.isEnum() ? type : null;
  }

  @Override
  public String toString() {
    return handler
        + " "
        + (kind == null || argument == null ? unknown : "takes it as a " + argument.getName());
  }
}
