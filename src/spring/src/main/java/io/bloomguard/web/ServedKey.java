package io.bloomguard.web;

import jakarta.servlet.http.HttpServletRequest;
import java.beans.PropertyDescriptor;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.http.server.RequestPath;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.support.WebBindingInitializer;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * A handler method that serves requests of a rule, and what it makes of the rule's key.
 *
 * @param handler the method, for messages
 * @param pattern the handler's pattern
 * @param variable that pattern's variable in the place of the rule's key; empty for none
 * @param siblings the other patterns of the handler with that variable
 * @param argument the type of its argument; null if that cannot be known
 * @param kind the type that stands for all with the same spellings; null if there is none
 * @param unknown the reason why there is none
 */
record ServedKey(
    String handler,
    String pattern,
    String variable,
    List<String> siblings,
    @Nullable TypeDescriptor argument,
    @Nullable Class<?> kind,
    @Nullable String unknown) {

  private static final Set<Class<?>> INTEGERS =
      Set.of(Long.class, Integer.class, Short.class, Byte.class);

  /**
   * A pattern of a handler method.
   *
   * @param place the place of its mapping among those of Spring MVC
   * @param annotated whether path variables go to annotated parameters
   */
  record Mapped(
      int place,
      boolean annotated,
      RequestMappingInfo mapping,
      PathPattern pattern,
      HandlerMethod handler) {

    /** Whether requests with some of the methods come here. */
    boolean takesSome(Predicate<String> methods) {
      Set<RequestMethod> own = mapping.getMethodsCondition().getMethods();
      return own.isEmpty() || own.stream().anyMatch(method -> methods.test(method.name()));
    }

    /** Whether a path of both patterns comes here. */
    boolean precedes(Mapped other) {
      return place < other.place
          || place == other.place
              && PathPattern.SPECIFICITY_COMPARATOR.compare(pattern, other.pattern) < 0;
    }

    /** Whether the mapping takes the request, whose path matches the pattern. */
    boolean takes(HttpServletRequest request) {
      Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
      try {
        ServletRequestPathUtils.parseAndCache(request);
        return mapping.getMatchingCondition(request) != null;
      } finally {
        ServletRequestPathUtils.setParsedRequestPath((RequestPath) before, request);
      }
    }
  }

  /**
   * The handler methods of a context.
   *
   * @param routed whether there are functional routes beside them
   */
  record Handlers(
      List<Mapped> mapped,
      boolean routed,
      Supplier<List<ControllerAdviceBean>> advice,
      Supplier<List<WebBindingInitializer>> binders) {

    static Handlers of(List<HandlerMapping> mappings, ApplicationContext context) {
      List<Mapped> mapped = new ArrayList<>();
      for (HandlerMapping mapping : mappings) {
        if (mapping instanceof RequestMappingInfoHandlerMapping methods) {
          int place = mappings.indexOf(mapping);
          boolean annotated = mapping instanceof RequestMappingHandlerMapping;
          methods
              .getHandlerMethods()
              .forEach(
                  (info, handler) -> {
                    PathPatternsRequestCondition patterns = info.getPathPatternsCondition();
                    if (patterns != null) {
                      patterns
                          .getPatterns()
                          .forEach(
                              pattern ->
                                  mapped.add(new Mapped(place, annotated, info, pattern, handler)));
                    }
                  });
        }
      }
      return new Handlers(
          mapped,
          mappings.stream()
              .anyMatch(
                  mapping ->
                      mapping instanceof RouterFunctionMapping routes
                          && routes.getRouterFunction() != null),
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
    List<ServedKey> of(PatternPlaces rule, Predicate<String> judged, ConversionService conversion) {
      List<ServedKey> found = new ArrayList<>();
      for (Mapped one : mapped) {
        String variable = rule.variableOf(one.pattern.getPatternString());
        if (variable != null && one.annotated && one.takesSome(judged)) {
          add(found, one, variable, siblings(one, variable, judged), conversion);
        }
      }
      return found;
    }

    private List<String> siblings(Mapped one, String variable, Predicate<String> judged) {
      return mapped.stream()
          .filter(other -> other.handler.equals(one.handler) && other.takesSome(judged))
          .map(other -> other.pattern.getPatternString())
          .filter(pattern -> !pattern.equals(one.pattern.getPatternString()))
          .filter(pattern -> PatternPlaces.variables(pattern).contains(variable))
          .toList();
    }

    /**
     * The mappings that take paths of a rule's pattern before each handler that gets its key, and
     * have no variable in the key's place.
     */
    List<Mapped> others(PatternPlaces rule, Predicate<String> judged) {
      List<Mapped> keyed = new ArrayList<>();
      List<Mapped> others = new ArrayList<>();
      for (Mapped one : mapped) {
        String pattern = one.pattern.getPatternString();
        if (rule.opposite(pattern) != null && one.takesSome(judged)) {
          String variable = rule.variableOf(pattern);
          (variable == null || variable.isEmpty() || !one.annotated ? others : keyed).add(one);
        }
      }
      others.removeIf(one -> keyed.isEmpty() || !keyed.stream().allMatch(one::precedes));
      return List.copyOf(others);
    }

    private void add(
        List<ServedKey> found,
        Mapped mapped,
        String variable,
        List<String> siblings,
        ConversionService conversion) {
      HandlerMethod handler = mapped.handler;
      String name =
          ClassUtils.getShortName(handler.getBeanType()) + "." + handler.getMethod().getName();
      String pattern = mapped.pattern.getPatternString();
      ServedKey unclear = new ServedKey(name, pattern, variable, siblings, null, null, null);
      List<MethodParameter> parameters =
          variable.isEmpty()
              ? List.of()
              : parameters(Stream.of(handler.getMethodParameters()), variable);
      if (parameters.isEmpty()) {
        found.add(unclear.because("takes it by no @PathVariable of its own"));
      } else if (isBound(handler.getBeanType(), variable)) {
        found.add(unclear.because("gets it through an @InitBinder method"));
      } else {
        parameters.forEach(parameter -> found.add(key(unclear, parameter, conversion)));
        parameters(ofModel(handler.getBeanType()), variable)
            .forEach(parameter -> found.add(key(unclear, parameter, conversion)));
        Stream.of(handler.getMethodParameters())
            .map(parameter -> bound(parameter, variable))
            .filter(Objects::nonNull)
            .forEach(
                property ->
                    found.add(
                        unclear.as(
                            property,
                            kind(property.getObjectType()),
                            "binds it to a " + property.getName())));
      }
    }

    private ServedKey key(
        ServedKey unclear, MethodParameter parameter, ConversionService conversion) {
      TypeDescriptor argument =
          isMapOf(parameter)
              ? TypeDescriptor.valueOf(String.class)
              : new TypeDescriptor(parameter.nestedIfOptional());
      if (!isMapOf(parameter)
          && binders.get().stream()
              .anyMatch(binder -> converts(binder, argument.getType(), conversion))) {
        return unclear.because("gets it through a WebBindingInitializer");
      }
      Class<?> kind = kind(argument.getObjectType());
      return unclear.as(
          argument,
          kind,
          kind == null ? "takes it as a " + argument.getType().getSimpleName() : null);
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
      return declaring(type).anyMatch(each -> binds(each, variable));
    }

    /** The parameters of the methods that make the model of a handler of that class. */
    private Stream<MethodParameter> ofModel(Class<?> type) {
      return declaring(type)
          .flatMap(
              each ->
                  MethodIntrospector.selectMethods(
                      each, RequestMappingHandlerAdapter.MODEL_ATTRIBUTE_METHODS)
                      .stream())
          .flatMap(
              method ->
                  IntStream.range(0, method.getParameterCount())
                      .mapToObj(index -> new SynthesizingMethodParameter(method, index)));
    }

    /** The class of a handler, and the classes of all advice to it. */
    private Stream<Class<?>> declaring(Class<?> type) {
      return Stream.concat(
          Stream.of(type),
          advice.get().stream()
              .filter(each -> each.isApplicableToBeanType(type))
              .map(ControllerAdviceBean::getBeanType)
              .filter(Objects::nonNull));
    }

    /** The type of the property of a model object to which the data binder binds the variable. */
    private static @Nullable TypeDescriptor bound(MethodParameter parameter, String variable) {
      Class<?> type = parameter.getParameterType();
      boolean otherwise =
          Stream.of(parameter.getParameterAnnotations())
              .map(Annotation::annotationType)
              .anyMatch(
                  each ->
                      each != ModelAttribute.class
                          && each.getPackage() == ModelAttribute.class.getPackage());
      if (otherwise || BeanUtils.isSimpleProperty(type)) {
        return null;
      }
      if (type.isRecord()) {
        return Stream.of(type.getRecordComponents())
            .filter(component -> component.getName().equals(variable))
            .map(component -> TypeDescriptor.valueOf(component.getType()))
            .findFirst()
            .orElse(null);
      }
      PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, variable);
      return property == null || property.getWriteMethod() == null
          ? null
          : TypeDescriptor.valueOf(property.getPropertyType());
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

  private ServedKey because(String reason) {
    return as(null, null, reason);
  }

  private ServedKey as(
      @Nullable TypeDescriptor type, @Nullable Class<?> kind, @Nullable String reason) {
    return new ServedKey(handler, pattern, variable, siblings, type, kind, reason);
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
  private static List<MethodParameter> parameters(
      Stream<MethodParameter> parameters, String variable) {
    return parameters.filter(parameter -> gets(parameter, variable)).toList();
  }

  private static boolean gets(MethodParameter parameter, String variable) {
    PathVariable annotation = parameter.getParameterAnnotation(PathVariable.class);
    if (annotation == null) {
      return false;
    }
    parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
    boolean named = !annotation.name().isEmpty();
    return !named && Handlers.isMapOf(parameter)
        || variable.equals(named ? annotation.name() : parameter.getParameterName());
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
