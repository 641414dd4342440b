package io.bloomguard.aop.internal.call;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.KotlinFunction;
import org.springframework.core.ResolvableType;

/**
 * The return type of a method: for a suspend function, that of its result.
 *
 * @param carrier the container around the content
 * @param type the type as it is declared
 * @param content the type without its carrier
 */
public record Returned(Carrier carrier, ResolvableType type, ResolvableType content) {

  /** Reads the return type of a method. */
  public static Returned of(AnnotatedMethod<?> method) {
    if (KotlinFunction.suspends(method)) {
      ResolvableType result = KotlinFunction.result(method);
      return new Returned(PublisherCarrier.MONO, result, result);
    }
    ResolvableType type = method.returnType();
    Carrier carrier = Carrier.of(type.resolve(Object.class));
    return new Returned(carrier, type, carrier == DirectCarrier.DIRECT ? type : type.getGeneric(0));
  }
}
