package io.bloomguard.web;

import java.beans.PropertyDescriptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.util.ReflectionUtils.MethodFilter;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.support.WebBindingInitializer;
import org.springframework.web.method.ControllerAdviceBean;

/**
 * The handler methods of a context, and what each makes of a path variable.
 *
 * @param routed whether there are handlers beside them that are found by other means, such as
 *     functional routes
 * @param advice all controller advice
 * @param binders what the adapters of the handlers begin each data binder with
 */
record MappedHandlers(
    List<MappedHandler> mapped,
    boolean routed,
    List<ControllerAdviceBean> advice,
    List<WebBindingInitializer> binders) {

  /** The mappings of a context, in the order in which its dispatcher asks them. */
  static <M> List<M> mappings(Class<M> type, ApplicationContext context) {
    return context.getBeanProvider(type, false).stream()
        .sorted(AnnotationAwareOrderComparator.INSTANCE)
        .toList();
  }

  /** The handlers that serve requests of a rule with a variable in the place of one of its own. */
  ServedKeys serving(CompiledRule rule, String own) {
    PatternPlaces places = rule.pattern().places(own);
    List<ServedKey> found = new ArrayList<>();
    for (MappedHandler one : mapped) {
      String variable = places.variableOf(one.path());
      if (variable != null && one.annotated() && one.takesSome(rule)) {
        keys(one, variable, rule.key().conversion()).forEach(found::add);
      }
    }
    return new ServedKeys(rule, found);
  }

  /** The other patterns of a handler with the variable of a key. */
  Stream<String> siblings(ServedKey key, CompiledRule rule) {
    return mapped.stream()
        .filter(one -> one.handler().equals(key.mapped().handler()) && one.takesSome(rule))
        .map(MappedHandler::path)
        .filter(path -> !path.equals(key.mapped().path()))
        .filter(path -> PatternPlaces.variables(path).contains(key.variable()));
  }

  /**
   * The mappings that take paths of a rule's pattern before each handler that gets its key, and
   * have no variable in the key's place.
   */
  List<MappedHandler> others(CompiledRule rule) {
    PatternPlaces places = rule.pattern().places(rule.rule().key());
    List<MappedHandler> keyed = new ArrayList<>();
    List<MappedHandler> others = new ArrayList<>();
    for (MappedHandler one : mapped) {
      if (places.opposite(one.path()) != null && one.takesSome(rule)) {
        String variable = places.variableOf(one.path());
        (variable == null || variable.isEmpty() || !one.annotated() ? others : keyed).add(one);
      }
    }
    others.removeIf(one -> keyed.isEmpty() || !keyed.stream().allMatch(one::precedes));
    return List.copyOf(others);
  }

  private Stream<ServedKey> keys(
      MappedHandler mapped, String variable, ConversionService conversion) {
    Class<?> type = mapped.handler().getBeanType();
    List<MethodParameter> parameters = List.of(mapped.handler().getMethodParameters());
    if (variable.isEmpty() || parameters.stream().noneMatch(one -> gets(one, variable))) {
      return Stream.of(
          new ServedKey(mapped, variable, null, true, "takes it by no @PathVariable of its own"));
    }
    if (methods(type, InitBinder.class).anyMatch(method -> binds(method, variable))) {
      return Stream.of(
          new ServedKey(mapped, variable, null, false, "gets it through an @InitBinder method"));
    }
    return Stream.concat(parameters.stream(), ofModel(type))
        .map(parameter -> key(mapped, variable, parameter, conversion))
        .filter(Objects::nonNull);
  }

  /** What a parameter makes of a variable; null for nothing. */
  private @Nullable ServedKey key(
      MappedHandler mapped,
      String variable,
      MethodParameter parameter,
      ConversionService conversion) {
    if (!gets(parameter, variable)) {
      TypeDescriptor bound = bound(parameter, variable);
      return bound == null
          ? null
          : new ServedKey(mapped, variable, bound, true, "binds it to a " + bound.getName());
    }
    if (isMapOf(parameter)) {
      return new ServedKey(mapped, variable, TypeDescriptor.valueOf(String.class), false, "");
    }
    TypeDescriptor argument = new TypeDescriptor(parameter.nestedIfOptional());
    Class<?> type = argument.getType();
    return binders.stream().anyMatch(binder -> converts(binder, type, conversion))
        ? new ServedKey(mapped, variable, null, false, "gets it through a WebBindingInitializer")
        : new ServedKey(mapped, variable, argument, false, "takes it as a " + type.getSimpleName());
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

  /** The parameters of the methods that make the model of a handler of that class. */
  private Stream<MethodParameter> ofModel(Class<?> type) {
    return methods(type, ModelAttribute.class)
        .filter(method -> !AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class))
        .flatMap(
            method ->
                IntStream.range(0, method.getParameterCount())
                    .mapToObj(index -> new SynthesizingMethodParameter(method, index)));
  }

  /** The methods with an annotation of a handler's class, and of all advice to it. */
  private Stream<Method> methods(Class<?> type, Class<? extends Annotation> annotation) {
    Stream<Class<?>> advising =
        advice.stream()
            .filter(each -> each.isApplicableToBeanType(type))
            .map(ControllerAdviceBean::getBeanType)
            .filter(Objects::nonNull);
    MethodFilter annotated = method -> AnnotatedElementUtils.hasAnnotation(method, annotation);
    return Stream.concat(Stream.of(type), advising)
        .flatMap(each -> MethodIntrospector.selectMethods(each, annotated).stream());
  }

  /** The type of the property of a model object to which the data binder binds the variable. */
  private static @Nullable TypeDescriptor bound(MethodParameter parameter, String variable) {
    Class<?> type = content(parameter);
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
    PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, variable);
    return property == null || property.getWriteMethod() == null && !type.isRecord()
        ? null
        : TypeDescriptor.valueOf(property.getPropertyType());
  }

  /** The type of a model object, which WebFlux also passes in a publisher. */
  private static Class<?> content(MethodParameter parameter) {
    Class<?> type = parameter.getParameterType();
    return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) == null
        ? type
        : parameter.nested().getNestedParameterType();
  }

  private static boolean binds(Method method, String variable) {
    InitBinder binder = AnnotatedElementUtils.findMergedAnnotation(method, InitBinder.class);
    return binder != null
        && (binder.value().length == 0 || List.of(binder.value()).contains(variable));
  }

  /** Whether a parameter gets the variable: a handler may take it as text and as a number. */
  private static boolean gets(MethodParameter parameter, String variable) {
    PathVariable annotation = parameter.getParameterAnnotation(PathVariable.class);
    if (annotation == null) {
      return false;
    }
    parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
    boolean named = !annotation.name().isEmpty();
    return !named && isMapOf(parameter)
        || variable.equals(named ? annotation.name() : parameter.getParameterName());
  }
}
