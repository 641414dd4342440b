package io.bloomguard.aop.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.implementation.FixedValue;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;

/** Properties of Kotlin's value classes, as its compiler writes them. */
class PropertyPathTest {

  private static final ByteBuddy CLASSES = new ByteBuddy();

  /** {@code value class Isbn(val value: String)}, in its boxed form. */
  private static final Class<?> ISBN =
      CLASSES
          .subclass(Object.class)
          .defineMethod("getValue", String.class, Visibility.PUBLIC)
          .intercept(FixedValue.value("text"))
          .defineMethod("unbox-impl", String.class, Visibility.PUBLIC)
          .intercept(FixedValue.value("text"))
          .make()
          .load(PropertyPathTest.class.getClassLoader())
          .getLoaded();

  /** {@code class Book(val isbn: Isbn, val boxed: Isbn)}. */
  private static final Class<?> BOOK =
      CLASSES
          .subclass(Object.class)
          .defineMethod("getIsbn-2MLbk00", String.class, Visibility.PUBLIC)
          .intercept(FixedValue.value("text"))
          .defineMethod("getBoxed-A6y4ij4", ISBN, Visibility.PUBLIC)
          .intercept(FixedValue.value(made(ISBN)))
          .make()
          .load(ISBN.getClassLoader())
          .getLoaded();

  private static Object made(Class<?> type) {
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static PropertyPath path(Class<?> root, String... names) {
    return Objects.requireNonNull(
        PropertyPath.compile(ResolvableType.forClass(root), List.of(names)));
  }

  @Test
  void aValueClassIsTheValueWithin() {
    for (PropertyPath path :
        List.of(path(BOOK, "isbn"), path(BOOK, "boxed"), path(BOOK, "boxed", "value"))) {
      assertThat(path.type().resolve()).isEqualTo(String.class);
      assertThat(path.read(made(BOOK))).isEqualTo("text");
    }
    assertThat(path(ISBN).read(made(ISBN))).isEqualTo("text");
    assertThat(path(ISBN).read(null)).isNull();
  }

  @Test
  void aRefusalNamesThePropertiesAsTheyAreWritten() {
    assertThat(PropertyPath.properties(BOOK)).containsExactly("boxed", "isbn");
    assertThatThrownBy(() -> path(BOOK, "title"))
        .hasMessageEndingWith("has the properties [boxed, isbn]");
    assertThatThrownBy(() -> path(BOOK, "isbn", "value"))
        .hasMessageStartingWith("names 'value' within a Kotlin value class")
        .hasMessageEndingWith("[isbn]");
  }
}
