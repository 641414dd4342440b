package io.bloomguard.web;

import io.bloomguard.web.HandlerLookup.NotDecidedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.PropertyEditorRegistrar;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.RequestParamMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.PathVariableMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * The key of a handler method, read from a request and converted as Spring MVC's argument resolvers
 * do it.
 *
 * @param name of the path variable or request parameter
 * @param inPath whether it is a path variable
 * @param type of the handler's parameter, with its annotations
 * @param conversion the service that converts handler arguments
 */
record HandlerKey(String name, boolean inPath, TypeDescriptor type, ConversionService conversion) {

  private static final Set<Class<?>> KEYS =
      Set.of(
          String.class,
          UUID.class,
          Long.class,
          long.class,
          Integer.class,
          int.class,
          Short.class,
          short.class,
          Byte.class,
          byte.class);

  /** The parameters beside the key whose arguments are there for every request. */
  private static final Set<Class<?>> OTHERS =
      Set.of(HttpServletRequest.class, HttpServletResponse.class, Locale.class);

  private static final TypeDescriptor TEXT = TypeDescriptor.valueOf(String.class);

  /**
   * The key of a handler method.
   *
   * @throws NotDecidedException if a part of the application may change it, or take part in the
   *     decision whether the handler is called with it
   */
  static HandlerKey of(HandlerMethod handler, int index, RequestMappingHandlerAdapter adapter)
      throws NotDecidedException {
    MethodParameter[] parameters = handler.getMethodParameters();
    for (int i = 0; i < parameters.length; i++) {
      if (i != index && !OTHERS.contains(parameters[i].getParameterType())) {
        throw new NotDecidedException(
            "it has a further parameter, which may be missing or invalid");
      }
    }
    MethodParameter parameter = parameters[index];
    parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
    PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
    RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
    if (variable == null == (query == null)) {
      throw new NotDecidedException("its key is no path variable and no request parameter");
    }
    Class<?> resolver =
        variable == null
            ? RequestParamMethodArgumentResolver.class
            : PathVariableMethodArgumentResolver.class;
    if (!KEYS.contains(parameter.getParameterType())) {
      throw new NotDecidedException("its key is no text, integer or UUID");
    }
    if (resolver(parameter, adapter.getArgumentResolvers()) != resolver) {
      throw new NotDecidedException("the application resolves its key");
    }
    String given = variable == null ? query.name() : variable.name();
    String name = given.isEmpty() ? parameter.getParameterName() : given;
    if (name == null || name.contains("{")) {
      throw new NotDecidedException("the name of its key is known only to Spring MVC");
    }
    return new HandlerKey(name, variable != null, new TypeDescriptor(parameter), of(adapter));
  }

  private static @Nullable Class<?> resolver(
      MethodParameter parameter, @Nullable List<HandlerMethodArgumentResolver> resolvers) {
    return resolvers == null
        ? null
        : resolvers.stream()
            .filter(resolver -> resolver.supportsParameter(parameter))
            .findFirst()
            .map(Object::getClass)
            .orElse(null);
  }

  /** The conversion service, if nothing else takes part in conversions. */
  private static ConversionService of(RequestMappingHandlerAdapter adapter)
      throws NotDecidedException {
    if (adapter.getWebBindingInitializer() instanceof ConfigurableWebBindingInitializer binding
        && binding.getClass() == ConfigurableWebBindingInitializer.class) {
      PropertyEditorRegistrar[] editors = binding.getPropertyEditorRegistrars();
      ConversionService conversion = binding.getConversionService();
      if (conversion != null && (editors == null || editors.length == 0)) {
        return conversion;
      }
    }
    throw new NotDecidedException("the application has property editors, or a binder of its own");
  }

  /**
   * The text of the key in a request; null if there is not exactly one.
   *
   * @param variables those of the matched pattern
   */
  @Nullable String text(HttpServletRequest request, Map<String, String> variables) {
    if (inPath) {
      return emptyToNull(variables.get(name));
    }
    String[] values = request.getParameterValues(name);
    return values == null || values.length != 1 ? null : emptyToNull(values[0]);
  }

  private static @Nullable String emptyToNull(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }

  /** The handler's argument for that text; null if the handler gets none. */
  @Nullable Object convert(String text) {
    try {
      return conversion.convert(text, TEXT, type);
    } catch (ConversionException e) {
      return null;
    }
  }
}
