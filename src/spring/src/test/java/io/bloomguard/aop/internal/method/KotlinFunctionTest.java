package io.bloomguard.aop.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import kotlin.ranges.LongRange;
import kotlin.ranges.UIntProgression;
import kotlin.ranges.UIntRange;
import org.junit.jupiter.api.Test;

/** Functions of Kotlin's own library. */
class KotlinFunctionTest {

  private static boolean isUnsigned(Class<?> type, String name, int parameter, String... path) {
    Method function =
        Arrays.stream(type.getMethods())
            .filter(each -> each.getName().replaceFirst("-.*", "").equals(name))
            .filter(each -> !each.isBridge())
            .findFirst()
            .orElseThrow();
    return KotlinFunction.isUnsigned(
        new AnnotatedMethod<>(List.of(), BloomGuarded.class, function, function, type),
        parameter,
        List.of(path));
  }

  @Test
  void anUnsignedNumberIsToldFromTheSignedOneOfTheJvm() {
    assertThat(isUnsigned(UIntRange.class, "contains", 0)).isTrue();
    assertThat(isUnsigned(LongRange.class, "contains", 0)).isFalse();
    Class<?> companion = UIntProgression.Companion.getClass();
    assertThat(isUnsigned(companion, "fromClosedRange", 0)).isTrue();
    assertThat(isUnsigned(companion, "fromClosedRange", 2)).isFalse();
    assertThat(isUnsigned(companion, "fromClosedRange", -1, "first")).isTrue();
    assertThat(isUnsigned(companion, "fromClosedRange", -1, "step")).isFalse();
    assertThat(isUnsigned(companion, "fromClosedRange", -1, "none", "first")).isFalse();
    assertThat(isUnsigned(List.class, "get", 0)).isFalse();
  }
}
