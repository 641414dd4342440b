package io.bloomguard.web;

import java.lang.reflect.Field;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.WebRequestInterceptor;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.handler.ConversionServiceExposingInterceptor;
import org.springframework.web.servlet.handler.WebRequestHandlerInterceptorAdapter;
import org.springframework.web.servlet.resource.ResourceUrlProviderExposingInterceptor;

/** Spring's own interceptors that refuse no request. */
final class HarmlessInterceptors {

  private static final Set<Class<?>> HARMLESS =
      Set.of(
          ConversionServiceExposingInterceptor.class, ResourceUrlProviderExposingInterceptor.class);

  /** Open session in view, of an optional library. */
  private static final String VIEW =
      "org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor";

  /** The interceptor behind an adapter; null if there is no such field. */
  private static final @Nullable Field ADAPTED =
      ReflectionUtils.findField(
          WebRequestHandlerInterceptorAdapter.class, null, WebRequestInterceptor.class);

  static {
    if (ADAPTED != null) {
      ReflectionUtils.makeAccessible(ADAPTED);
    }
  }

  private HarmlessInterceptors() {}

  /** Whether the interceptor cannot refuse a request, by its answer or by an exception. */
  static boolean contain(HandlerInterceptor interceptor) {
    return HARMLESS.contains(interceptor.getClass())
        || adapted(interceptor).getClass().getName().equals(VIEW);
  }

  /** The interceptor itself, if it is no adapter. */
  static Object adapted(HandlerInterceptor interceptor) {
    Object adapted =
        ADAPTED != null && interceptor.getClass() == WebRequestHandlerInterceptorAdapter.class
            ? ReflectionUtils.getField(ADAPTED, interceptor)
            : null;
    return adapted == null ? interceptor : adapted;
  }
}
