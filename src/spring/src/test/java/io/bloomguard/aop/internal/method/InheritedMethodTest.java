package io.bloomguard.aop.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One annotated method that several classes inherit is compiled for each of them. */
class InheritedMethodTest {

  abstract static class Finder<T> {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public T find(long id) {
      return found(id);
    }

    abstract T found(long id);
  }

  static class One extends Finder<Optional<String>> {
    @Override
    Optional<String> found(long id) {
      return Optional.of("one " + id);
    }
  }

  static class Many extends Finder<List<String>> {
    @Override
    List<String> found(long id) {
      return List.of("many " + id);
    }
  }

  static class Plain extends Finder<String> {
    @Override
    String found(long id) {
      return "plain " + id;
    }
  }

  @Test
  void eachClassGetsTheAnswersOfItsOwnReturnType() {
    TestGuards guards = new TestGuards();
    guards.keys.add("1");
    try (var context = Guarding.context(guards, One.class, Many.class, Plain.class)) {
      for (int call = 0; call < 2; call++) {
        assertThat(context.getBean(Plain.class).find(7)).isNull();
        assertThat(context.getBean(One.class).find(7)).isEmpty();
        assertThat(context.getBean(Many.class).find(7)).isEmpty();
        assertThat(context.getBean(Plain.class).find(1)).isEqualTo("plain 1");
        assertThat(context.getBean(One.class).find(1)).contains("one 1");
        assertThat(context.getBean(Many.class).find(1)).containsExactly("many 1");
      }
    }
  }

  interface Lookup<T> {
    Iterable<T> findAll(Iterable<Long> ids);
  }

  /** The compiler adds a bridge with a copy of the annotation, and parameters without names. */
  interface NarrowerLookup extends Lookup<String> {
    @Override
    @BloomGuarded(filter = "products", key = "#numbers")
    List<String> findAll(Iterable<Long> numbers);
  }

  @Test
  void theMethodBesideABridgeIsTheOneThatWasWritten() throws NoSuchMethodException {
    Class<?> proxy =
        Proxy.newProxyInstance(
                NarrowerLookup.class.getClassLoader(),
                new Class<?>[] {NarrowerLookup.class},
                (self, method, arguments) -> null)
            .getClass();
    Method written = NarrowerLookup.class.getMethod("findAll", Iterable.class);
    assertThat(written.isBridge()).isFalse();
    List<Method> called =
        Arrays.stream(proxy.getMethods()).filter(m -> m.getName().equals("findAll")).toList();
    assertThat(called).hasSize(2);
    for (Method method : called) {
      assertThat(AnnotatedMethod.find(BloomGuarded.class, method, proxy).declared())
          .isEqualTo(written);
    }
  }
}
