package io.bloomguard.aop.internal.call;

import io.bloomguard.aop.internal.method.TypeArguments;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * The types whose value, or whose work, comes after the method has returned: a guard cannot wait
 * for it without blocking.
 */
final class Deferred {

  /** By name, since their libraries may be absent. Their subclasses are deferred as well. */
  private static final Set<String> KINDS =
      Set.of(
          Future.class.getName(),
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.Flow$Publisher",
          "org.reactivestreams.Publisher",
          "org.springframework.web.context.request.async.DeferredResult",
          "org.springframework.web.context.request.async.WebAsyncTask",
          "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
          "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
          "io.reactivex.rxjava3.core.CompletableSource",
          "io.reactivex.rxjava3.core.MaybeSource",
          "io.reactivex.rxjava3.core.ObservableSource",
          "io.reactivex.rxjava3.core.SingleSource",
          "io.smallrye.mutiny.Uni",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.flow.Flow");

  /** The depth of the search in type arguments; a type may have itself among them. */
  private static final int DEPTH = 4;

  /** Only these types themselves: an entity may be a {@code Runnable}. */
  private static final Set<Class<?>> FUNCTIONS =
      Set.of(Callable.class, Supplier.class, Runnable.class);

  private static final ClassValue<Boolean> KNOWN =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return FUNCTIONS.contains(type)
              || BaseStream.class.isAssignableFrom(type)
              || isKind(type);
        }
      };

  private Deferred() {}

  static boolean is(Class<?> type) {
    return KNOWN.get(type);
  }

  /** The first deferred type in {@code type}, its type arguments included. */
  static @Nullable Class<?> in(ResolvableType type) {
    return TypeArguments.within(type, DEPTH).filter(Deferred::is).findFirst().orElse(null);
  }

  private static boolean isKind(@Nullable Class<?> type) {
    return type != null
        && (KINDS.contains(type.getName())
            || isKind(type.getSuperclass())
            || Arrays.stream(type.getInterfaces()).anyMatch(Deferred::isKind));
  }
}
