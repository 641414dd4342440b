package io.bloomguard.json.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import io.bloomguard.guard.ValueType;
import java.lang.reflect.Type;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** Two versions of an application: One is the first of each type, Two the second. */
@ExtendWith(OutputCaptureExtension.class)
class JsonShapeTest {

  /** Each of these has a twin of another shape in {@link Two}. */
  interface One {
    record View(long id, @Nullable String name) {}

    record Typed(long id) {}

    record Within(List<Map<String, Optional<View>>> views) {}

    record Renamed(@JsonProperty("name") @Nullable String label) {}

    record Dated(@JsonFormat(shape = JsonFormat.Shape.NUMBER) @Nullable Size at) {}

    enum Size {
      S,
      L
    }

    record Sized(Size @Nullable [] sizes) {}

    record Tree(@Nullable Tree left, @Nullable String label) {}

    class Bean {
      public @Nullable String name;
    }

    class Special extends Bean {
      public long more;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
    interface Shape {}

    record Circle(int radius) implements Shape {}

    sealed interface Sealed permits Square {}

    record Square(int side) implements Sealed {}

    record Box<T>(@Nullable T content) {}

    class Boxed extends AnyBox<View> {}

    class AnyBox<T> {
      public @Nullable T content;
    }

    enum Spelled {
      @JsonProperty("small")
      S
    }

    enum Coded {
      S("small");

      @JsonValue public final String code;

      Coded(String code) {
        this.code = code;
      }
    }

    enum Shown {
      S;

      @Override
      public String toString() {
        return "small";
      }
    }

    record Numbered(@JsonFormat(shape = JsonFormat.Shape.NUMBER) Order order) {}

    enum Order {
      S,
      L
    }

    record Price(@Nullable String amount, @Nullable String currency) {
      @JsonValue
      public String text() {
        return amount + currency;
      }
    }

    @JsonDeserialize(as = Plain.class)
    interface As {}

    record Plain(int width) implements As, Marker {}

    record AsPart(@JsonDeserialize(as = Plain.class) @Nullable Marker part) {}

    interface Marker {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Row(@Nullable String first, @Nullable String last) {}

    record RowPart(@JsonFormat(shape = JsonFormat.Shape.ARRAY) List<Names> rows) {}

    record Names(@Nullable String first, @Nullable String last) {}

    record Named(@Nullable String firstName) {}

    record Unwrapped(@JsonUnwrapped(prefix = "a_") @Nullable View view) {}

    record Converted(@JsonSerialize(using = ToStringSerializer.class) long id) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", defaultImpl = Base.class)
    static class Base {}
  }

  interface Two {
    record View(long id, @Nullable String title) {}

    record Typed(String id) {}

    record Within(List<Map<String, Optional<View>>> views) {}

    record Renamed(@JsonProperty("title") @Nullable String label) {}

    record Dated(@JsonFormat(shape = JsonFormat.Shape.STRING) @Nullable Size at) {}

    enum Size {
      S,
      XL
    }

    record Sized(Size @Nullable [] sizes) {}

    record Tree(@Nullable Tree left, @Nullable String title) {}

    class Bean {
      public @Nullable String title;
    }

    class Special extends Bean {
      public long more;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
    interface Shape {}

    record Circle(int diameter) implements Shape {}

    sealed interface Sealed permits Square {}

    record Square(int edge) implements Sealed {}

    record Box<T>(@Nullable T content) {}

    class Boxed extends AnyBox<View> {}

    class AnyBox<T> {
      public @Nullable T content;
    }

    enum Spelled {
      @JsonProperty("little")
      S
    }

    enum Coded {
      S("little");

      @JsonValue public final String code;

      Coded(String code) {
        this.code = code;
      }
    }

    enum Shown {
      S;

      @Override
      public String toString() {
        return "little";
      }
    }

    record Numbered(@JsonFormat(shape = JsonFormat.Shape.NUMBER) Order order) {}

    enum Order {
      L,
      S
    }

    record Price(@Nullable String amount, @Nullable String currency) {
      @JsonValue
      public String label() {
        return amount + currency;
      }
    }

    @JsonDeserialize(as = Plain.class)
    interface As {}

    record Plain(int height) implements As, Marker {}

    record AsPart(@JsonDeserialize(as = Plain.class) @Nullable Marker part) {}

    interface Marker {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Row(@Nullable String last, @Nullable String first) {}

    record RowPart(@JsonFormat(shape = JsonFormat.Shape.ARRAY) List<Names> rows) {}

    record Names(@Nullable String last, @Nullable String first) {}

    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Named(@Nullable String firstName) {}

    record Unwrapped(@JsonUnwrapped(prefix = "b_") @Nullable View view) {}

    record Converted(long id) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type", defaultImpl = Base.class)
    static class Base {}
  }

  /** The same JSON as in {@link One}, otherwise declared. */
  interface Same {
    record View(@Nullable String name, long id) {}

    record Within(List<Map<String, Optional<View>>> views) {}

    class Tree {
      public @Nullable String label;
      public @Nullable Tree left;
    }

    enum Size {
      L,
      S
    }

    record Sized(Size @Nullable [] sizes) {}
  }

  interface Listed {
    List<One.View> one();

    List<Two.View> two();

    One.Box<One.View> boxOne();

    One.Box<Two.View> boxTwo();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "View", "Typed", "Within", "Renamed", "Dated", "Sized", "Tree", "Bean", "Special", "Shape",
        "Sealed", "Boxed", "Spelled", "Coded", "Shown", "Numbered", "Price", "As", "AsPart", "Row",
        "RowPart", "Named", "Unwrapped", "Converted", "Base"
      })
  void anotherShapeHasAnotherFingerprint(String name) throws Exception {
    assertThat(shape(named(One.class, name)))
        .isEqualTo(shape(named(One.class, name)))
        .isNotEqualTo(shape(named(Two.class, name)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"View", "Within", "Tree", "Sized"})
  void neitherOrderNorTheNameOfAClassCounts(String name) throws Exception {
    assertThat(shape(named(Same.class, name))).isEqualTo(shape(named(One.class, name)));
  }

  @Test
  void typeArgumentsCount() throws Exception {
    assertThat(Stream.of("one", "two", "boxOne", "boxTwo").map(JsonShapeTest::returned))
        .doesNotHaveDuplicates();
  }

  @Test
  void aGraphWithoutAnEndIsCut() {
    assertThat(chain(JsonShape.MOST_TYPES - 1, Integer.class))
        .isNotEqualTo(chain(JsonShape.MOST_TYPES - 1, Long.class));
    assertThat(chain(JsonShape.MOST_TYPES + 1, Integer.class))
        .isEqualTo(chain(JsonShape.MOST_TYPES + 1, Long.class));
  }

  /** Types of which each leads to the next, and the last is another. */
  private static byte[] chain(int length, Class<?> last) {
    var types = JsonMappers.OURS.getTypeFactory();
    var type = types.constructType(last);
    for (int i = 0; i < length; i++) {
      type = types.constructCollectionType(List.class, type);
    }
    return JsonShape.of(type);
  }

  /** A rolling deploy: each version reads what the other wrote. */
  @Test
  void anEnumOfAnotherVersionIsNotRead() {
    isNotRead(One.Spelled.S, Two.Spelled.S);
    isNotRead(One.Coded.S, Two.Coded.S);
    isNotRead(new One.Row("a", "b"), new Two.Row("b", "a"));
  }

  private static void isNotRead(Object one, Object two) {
    JsonValues values = new JsonValues("shop");
    ValueType<?> typeOfOne = new ValueType<>(one.getClass());
    ValueType<?> typeOfTwo = new ValueType<>(two.getClass());
    byte[] bytesOfOne = values.write(one, typeOfOne);
    byte[] bytesOfTwo = values.write(two, typeOfTwo);
    assertThat(bytesOfOne).isNotNull();
    assertThat(bytesOfTwo).isNotNull();
    assertThat(values.read(bytesOfOne, typeOfTwo)).isNull();
    assertThat(values.read(bytesOfTwo, typeOfOne)).isNull();
    assertThat(values.read(bytesOfOne, typeOfOne)).isEqualTo(one);
  }

  @Test
  void aValueOfAnotherVersionIsNotRead(CapturedOutput output) {
    JsonValues values = new JsonValues("shop");
    byte[] one = values.write(new One.View(7, "lamp"), ValueType.of(One.View.class));
    byte[] two = values.write(new Two.View(7, "lamp"), ValueType.of(Two.View.class));
    assertThat(one).isNotNull();
    assertThat(two).isNotNull();
    assertThat(values.read(one, ValueType.of(Two.View.class))).isNull();
    assertThat(values.read(two, ValueType.of(One.View.class))).isNull();
    assertThat(values.read(one, ValueType.of(One.View.class))).isEqualTo(new One.View(7, "lamp"));
    assertThat(values.read(new byte[] {'{', '}'}, ValueType.of(One.View.class))).isNull();
    assertThat(output).containsOnlyOnce("are loaded again").contains("'shop'");
  }

  private static Class<?> named(Class<?> owner, String name) throws ClassNotFoundException {
    return Class.forName(owner.getName() + "$" + name);
  }

  private static String returned(String method) {
    try {
      return shape(Listed.class.getDeclaredMethod(method).getGenericReturnType());
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String shape(Type type) {
    return HexFormat.of().formatHex(Json.of(type).shape());
  }
}
