package io.bloomguard.aop;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Tells Mockito's mocks: a test puts them in place of a bean and wants nothing around them. */
final class Mocks {

  private static final @Nullable Class<?> MOCKITO = find("org.mockito.Mockito");

  private Mocks() {}

  static boolean isMock(Object bean) {
    if (MOCKITO == null) {
      return false;
    }
    Object details = call(MOCKITO, "mockingDetails", null, bean);
    Class<?> type = find("org.mockito.MockingDetails");
    return details != null && type != null && Boolean.TRUE.equals(call(type, "isMock", details));
  }

  private static @Nullable Object call(
      Class<?> type, String name, @Nullable Object target, Object... arguments) {
    Method method = ReflectionUtils.findMethod(type, name, (Class<?>[]) null);
    return method == null ? null : ReflectionUtils.invokeMethod(method, target, arguments);
  }

  private static @Nullable Class<?> find(String name) {
    try {
      return ClassUtils.forName(name, Mocks.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }
}
