package io.bloomguard.web;

import java.beans.PropertyDescriptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
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
import org.springframework.util.function.SingletonSupplier;
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
    Supplier<List<ControllerAdviceBean>> advice,
    Supplier<List<WebBindingInitializer>> binders) {

  private static final MethodFilter BINDER_METHODS = method -> has(method, InitBinder.class);

  private static final MethodFilter MODEL_METHODS =
      method -> has(method, ModelAttribute.class) && !has(method, RequestMapping.class);

  /** The mappings of a context, in their order. */
  static <M> List<M> mappings(Class<M> type, ApplicationContext context) {
    List<M> found =
        new ArrayList<>(
            BeanFactoryUtils.beansOfTypeIncludingAncestors(context, type, true, false).values());
    AnnotationAwareOrderComparator.sort(found);
    return found;
  }

  /**
   * Handler methods with the advice of their context.
   *
   * @param binders what the adapters of the handlers begin each data binder with; null for nothing
   */
  static MappedHandlers of(
      List<MappedHandler> mapped,
      boolean routed,
      ApplicationContext context,
      Supplier<Stream<@Nullable WebBindingInitializer>> binders) {
    return new MappedHandlers(
        mapped,
        routed,
        SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context)),
        SingletonSupplier.of(() -> binders.get().filter(Objects::nonNull).toList()));
  }

  private static boolean has(Method method, Class<? extends Annotation> annotation) {
    return AnnotatedElementUtils.hasAnnotation(method, annotation);
  }

  /**
   * The handlers that serve requests of a rule's pattern with a variable in the place of its key.
   *
   * @param judged whether requests of a method are judged
   * @param conversion the service that converts the key for the rule
   */
  List<ServedKey> of(PatternPlaces rule, Predicate<String> judged, ConversionService conversion) {
    List<ServedKey> found = new ArrayList<>();
    for (MappedHandler one : mapped) {
      String variable = rule.variableOf(one.path());
      if (variable != null && one.annotated() && one.takesSome(judged)) {
        keys(one, variable, conversion).forEach(found::add);
      }
    }
    return found;
  }

  /** The other patterns of a handler with the variable of a key. */
  List<String> siblings(ServedKey key, Predicate<String> judged) {
    return mapped.stream()
        .filter(one -> one.handler().equals(key.mapped().handler()) && one.takesSome(judged))
        .map(MappedHandler::path)
        .filter(path -> !path.equals(key.mapped().path()))
        .filter(path -> PatternPlaces.variables(path).contains(key.variable()))
        .toList();
  }

  /**
   * The mappings that take paths of a rule's pattern before each handler that gets its key, and
   * have no variable in the key's place.
   */
  List<MappedHandler> others(PatternPlaces rule, Predicate<String> judged) {
    List<MappedHandler> keyed = new ArrayList<>();
    List<MappedHandler> others = new ArrayList<>();
    for (MappedHandler one : mapped) {
      String pattern = one.path();
      if (rule.opposite(pattern) != null && one.takesSome(judged)) {
        String variable = rule.variableOf(pattern);
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
          new ServedKey(mapped, variable, null, "takes it by no @PathVariable of its own"));
    }
    if (declaring(type).anyMatch(each -> binds(each, variable))) {
      return Stream.of(
          new ServedKey(mapped, variable, null, "gets it through an @InitBinder method"));
    }
    Stream<ServedKey> passed =
        Stream.concat(parameters.stream(), ofModel(type))
            .filter(parameter -> gets(parameter, variable))
            .map(parameter -> key(mapped, variable, parameter, conversion));
    Stream<ServedKey> bound =
        parameters.stream()
            .map(parameter -> bound(parameter, variable))
            .filter(Objects::nonNull)
            .map(one -> new ServedKey(mapped, variable, one, "binds it to a " + one.getName()));
    return Stream.concat(passed, bound);
  }

  private ServedKey key(
      MappedHandler mapped,
      String variable,
      MethodParameter parameter,
      ConversionService conversion) {
    if (isMapOf(parameter)) {
      return new ServedKey(mapped, variable, TypeDescriptor.valueOf(String.class), "");
    }
    TypeDescriptor argument = new TypeDescriptor(parameter.nestedIfOptional());
    Class<?> type = argument.getType();
    return binders.get().stream().anyMatch(binder -> converts(binder, type, conversion))
        ? new ServedKey(mapped, variable, null, "gets it through a WebBindingInitializer")
        : new ServedKey(mapped, variable, argument, "takes it as a " + type.getSimpleName());
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
    return declaring(type)
        .flatMap(each -> MethodIntrospector.selectMethods(each, MODEL_METHODS).stream())
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

  /** The type of a model object, which WebFlux also passes in a publisher. */
  private static Class<?> content(MethodParameter parameter) {
    boolean published =
        ReactiveAdapterRegistry.getSharedInstance().getAdapter(parameter.getParameterType())
            != null;
    return published ? parameter.nested().getNestedParameterType() : parameter.getParameterType();
  }

  private static boolean binds(Class<?> type, String variable) {
    return MethodIntrospector.selectMethods(type, BINDER_METHODS).stream()
        .map(method -> AnnotatedElementUtils.findMergedAnnotation(method, InitBinder.class))
        .anyMatch(
            binder ->
                binder != null
                    && (binder.value().length == 0 || List.of(binder.value()).contains(variable)));
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
