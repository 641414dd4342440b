package io.bloomguard.guard.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OwnedValuesTest {

  static class Entity {}

  static class Proxy extends Entity {}

  record Page(List<Entity> content) {}

  record Pair(Entity left, Entity right) {}

  record Loop(Loop next, String name) {}

  record Point(int x, int y) {}

  /** Methods whose return types have an entity somewhere. */
  interface Owned<T extends Entity> {
    Entity entity();

    Proxy proxy();

    Entity[] array();

    Optional<Entity> optional();

    List<? extends Entity> wildcard();

    Map<String, Entity> values();

    Map<Entity, String> keys();

    List<Entity>[] arrayOfLists();

    Pair record();

    Page recordWithAList();

    T variable();

    Set<T> variables();
  }

  /** Methods whose return types have none. */
  interface Free {
    String text();

    Object object();

    List<String> list();

    Loop loop();

    Point point();

    long[] numbers();

    Map<String, ? super Integer> map();
  }

  private final OwnedValues owned =
      new OwnedValues(() -> type -> Entity.class.isAssignableFrom(type) ? "is owned" : null);

  static List<Method> owned() {
    return Arrays.asList(Owned.class.getDeclaredMethods());
  }

  static List<Method> free() {
    return Arrays.asList(Free.class.getDeclaredMethods());
  }

  @ParameterizedTest
  @MethodSource("owned")
  void aTypeWithAnEntityIsOwned(Method method) {
    assertThat(owned.reasonOfType(method.getGenericReturnType()))
        .startsWith(OwnedValuesTest.class.getName())
        .endsWith(" is owned");
  }

  @ParameterizedTest
  @MethodSource("free")
  void aTypeWithoutOneIsNot(Method method) {
    assertThat(owned.reasonOfType(method.getGenericReturnType())).isNull();
  }

  @Test
  void aClassIsLookedAtOnce() {
    AtomicInteger looks = new AtomicInteger();
    OwnedValues counted =
        new OwnedValues(
            () ->
                type -> {
                  looks.incrementAndGet();
                  return null;
                });
    for (int i = 0; i < 10; i++) {
      assertThat(counted.reasonOfValue(List.of("a", "b"))).isNull();
    }
    assertThat(looks.get()).as("the list and its elements").isEqualTo(2);
  }
}
