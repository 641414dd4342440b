package io.bloomguard.json.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.bloomguard.guard.ValueType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class JsonValuesTest {

  enum Size {
    SMALL,
    LARGE {
      @Override
      public String toString() {
        return "L";
      }
    }
  }

  record Point(int x, int y) {}

  record Everything(
      String text,
      long number,
      BigDecimal amount,
      UUID id,
      Size size,
      Instant instant,
      LocalDate date,
      OffsetDateTime offset,
      ZonedDateTime zoned,
      Duration duration,
      Optional<String> perhaps,
      @Nullable String nothing,
      List<Point> points,
      Set<String> names,
      Map<UUID, Point> byId) {}

  /** A bean without an equals of its own. */
  public static class Bean {
    public String name = "n";
    public List<Integer> numbers = new ArrayList<>(List.of(1, 2));
  }

  /** Equal by its id alone. */
  public static class Row {
    public long id = 7;

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Row row && row.id == id;
    }

    @Override
    public int hashCode() {
      return Objects.hash(id);
    }
  }

  public static class SpecialRow extends Row {
    public String more = "more";
  }

  /** Its name has no way in. */
  public static class WithoutSetter extends Row {
    private String name = "n";

    public WithoutSetter() {}

    WithoutSetter(String name) {
      this.name = name;
    }

    @com.fasterxml.jackson.annotation.JsonGetter("title")
    public String title() {
      return name;
    }
  }

  record Secret(@JsonIgnore String password, String name) {}

  record Open(Object what) {}

  /** What rows are mapped to; a mapper fills a {@code Date} with what the driver returns. */
  record Mapped(
      Date date,
      Optional<Date> perhaps,
      List<Date> dates,
      Timestamp at,
      java.sql.Date day,
      Time time,
      Number number,
      Object anything,
      BitSet flags,
      @JsonFormat(pattern = "yyyy-MM-dd HH:mm") ZonedDateTime zoned,
      @JsonFormat(pattern = "yyyy") List<LocalDateTime> local) {

    static Mapped of(Date date, Number number, Object anything) {
      return new Mapped(
          date,
          Optional.of(date),
          List.of(date),
          Timestamp.from(Instant.parse("1969-12-31T23:59:59.999999Z")),
          new java.sql.Date(7),
          new Time(1234567),
          number,
          anything,
          BitSet.valueOf(new long[] {1, 2}),
          ZonedDateTime.parse("2026-01-02T03:04:05.678+01:00[Europe/Brussels]"),
          List.of(LocalDateTime.parse("2026-01-02T03:04:05.678")));
    }
  }

  record Payment(Method2 method) {}

  interface Method2 {}

  record Card(String number) implements Method2 {}

  record Bytes(byte[] bytes) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({@JsonSubTypes.Type(value = Circle.class, name = "circle")})
  interface Shape {}

  record Circle(int radius) implements Shape {}

  /** Return types that can be read back, at least in part. */
  interface Readable {
    String text();

    Point point();

    List<Point> list();

    Collection<Point> collection();

    Iterable<Point> iterable();

    Map<String, List<Point>> map();

    Set<Size> set();

    Point[] array();

    Optional<Point> optional();

    Number number();

    CharSequence chars();

    Shape shape();

    List<Shape> shapes();

    long[] longs();
  }

  /** Return types that cannot. */
  interface Unreadable {
    Method2 method();

    List<Method2> list();

    Map<String, Method2> map();

    Method2[] array();

    java.io.InputStream stream();
  }

  static List<Method> readable() {
    return Arrays.asList(Readable.class.getDeclaredMethods());
  }

  static List<Method> unreadable() {
    return Arrays.asList(Unreadable.class.getDeclaredMethods());
  }

  private final JsonValues values = new JsonValues("shop");

  @ParameterizedTest
  @MethodSource("readable")
  void concreteTypesAreTaken(Method method) {
    assertThat(values.refusal(method.getGenericReturnType())).isNull();
  }

  @ParameterizedTest
  @MethodSource("unreadable")
  void interfacesAndAbstractTypesAreRefused(Method method) {
    assertThat(values.refusal(method.getGenericReturnType())).contains("no JSON can be read as");
  }

  static List<Object> kept() {
    return List.of(
        "text",
        42L,
        Size.LARGE,
        new Point(1, 2),
        new Everything(
            "t",
            Long.MAX_VALUE,
            new BigDecimal("1.10"),
            new UUID(1, 2),
            Size.LARGE,
            Instant.parse("2026-01-02T03:04:05.123456789Z"),
            LocalDate.of(2026, 1, 2),
            OffsetDateTime.parse("2026-01-02T03:04:05.123456789+02:00"),
            ZonedDateTime.parse("2026-01-02T03:04:05+01:00[Europe/Brussels]"),
            Duration.ofNanos(123456789),
            Optional.of("x"),
            null,
            List.of(new Point(1, 2)),
            Set.of("a", "b", "c", "d", "e"),
            Map.of(new UUID(1, 2), new Point(1, 2))),
        Mapped.of(new Date(7), 42L, 42L),
        Mapped.of(
            Timestamp.from(Instant.parse("2026-01-02T03:04:05.123456Z")),
            new BigDecimal("1.10"),
            new BigDecimal("1.10")),
        Mapped.of(new java.sql.Date(7), 1.5, List.of(1, 2L, Map.of("a", 1.5f, "b", Set.of()))),
        Mapped.of(
            new Time(7), (short) 1, Timestamp.from(Instant.parse("2026-01-02T03:04:05.123456Z"))),
        Mapped.of(new Date(7), BigInteger.TWO.pow(90), new java.sql.Date(7)),
        Mapped.of(new Date(7), 7, new byte[] {1, 2}),
        Mapped.of(new Date(7), 7, LocalDate.of(2026, 1, 2)),
        new Bean(),
        new Row(),
        new Bytes(new byte[] {1, 2}),
        new Point[] {new Point(1, 2)});
  }

  @ParameterizedTest
  @MethodSource("kept")
  void aValueThatComesBackEqualIsKept(Object value) {
    ValueType<?> type =
        new ValueType<>(value.getClass() == Size.LARGE.getClass() ? Size.class : value.getClass());
    byte[] bytes = values.write(value, type);
    assertThat(bytes).isNotNull();
    assertThat(values.read(bytes, type)).usingRecursiveComparison().isEqualTo(value);
  }

  /** Processes with Jackson 2 and with Jackson 3 share values in Redis. */
  @Test
  void theTextIsThatOfEveryJackson() {
    Everything value =
        new Everything(
            "t",
            Long.MAX_VALUE,
            new BigDecimal("1.10"),
            new UUID(1, 2),
            Size.LARGE,
            Instant.parse("2026-01-02T03:04:05.123456789Z"),
            LocalDate.of(2026, 1, 2),
            OffsetDateTime.parse("2026-01-02T03:04:05.123456789+02:00"),
            ZonedDateTime.parse("2026-01-02T03:04:05+01:00[Europe/Brussels]"),
            Duration.ofNanos(123456789),
            Optional.of("x"),
            null,
            List.of(new Point(1, 2)),
            Set.of("a"),
            Map.of(new UUID(1, 2), new Point(1, 2)));
    String text =
        """
        {"text":"t","number":9223372036854775807,"amount":1.10,\
        "id":"00000000-0000-0001-0000-000000000002","size":"L",\
        "instant":"2026-01-02T03:04:05.123456789Z","date":"2026-01-02",\
        "offset":"2026-01-02T03:04:05.123456789+02:00",\
        "zoned":"2026-01-02T03:04:05+01:00[Europe/Brussels]","duration":"PT0.123456789S",\
        "perhaps":"x","nothing":null,"points":[{"x":1,"y":2}],"names":["a"],\
        "byId":{"00000000-0000-0001-0000-000000000002":{"x":1,"y":2}}}\
        """;
    ValueType<Everything> type = new ValueType<>(Everything.class);
    byte[] written = values.write(value, type);
    assertThat(written).isNotNull();
    assertThat(new String(written, 9, written.length - 9, UTF_8)).isEqualTo(text);
    assertThat(values.read(written, type)).isEqualTo(value);
    assertThat(HexFormat.of().formatHex(written, 0, 9)).isEqualTo("02cb102c1f65152441");
    assertThat(HexFormat.of().formatHex(Json.of(Shape.class).shape()))
        .isEqualTo("852b660d203e70b8");
  }

  /** A name in JSON stands for one of few classes: any other is not read. */
  @Test
  void aClassThatIsNamedInRedisIsNotMade() {
    ValueType<Open> type = ValueType.of(Open.class);
    byte[] written = values.write(new Open(42L), type);
    assertThat(written).isNotNull();
    String json = new String(written, 9, written.length - 9, UTF_8);
    assertThat(json).isEqualTo("{\"what\":[\"java.lang.Long\",42]}");
    for (String other : List.of("java.lang.Thread", Bean.class.getName())) {
      ByteBuffer forged = ByteBuffer.allocate(200).put(written, 0, 9);
      forged.put(json.replace("java.lang.Long", other).replace("42", "{}").getBytes(UTF_8));
      assertThat(values.read(Arrays.copyOf(forged.array(), forged.position()), type)).isNull();
    }
  }

  /** As the action explain looks, which knows no type. */
  @Test
  void aLookWithoutATypeReadsAValueOfAnyShape() {
    byte[] written = values.write(new Point(1, 2), new ValueType<>(Point.class));
    assertThat(written).isNotNull();
    assertThat(values.read(written, ValueType.of(Object.class))).isEqualTo(Map.of("x", 1, "y", 2));
  }

  @Test
  void aCollectionIsKeptWhateverItsClass() {
    assertThat(values.write(List.of(new Point(1, 2)), type("list"))).isNotNull();
    assertThat(values.write(new HashSet<>(Set.of(Size.SMALL, Size.LARGE)), type("set")))
        .isNotNull();
    assertThat(values.write(Map.of("a", List.of(new Point(1, 2))), type("map"))).isNotNull();
    assertThat(values.write(List.of(new Circle(1)), type("shapes"))).isNotNull();
    assertThat(values.write(new Circle(1), type("shape"))).isNotNull();
  }

  @Test
  void whatWouldBeLostIsNotKept(CapturedOutput output) {
    assertThat(values.write(new SpecialRow(), ValueType.of(Row.class))).as("a subclass").isNull();
    assertThat(output).containsOnlyOnce("is not kept").contains("'shop'").contains("SpecialRow");
    assertThat(values.write(new WithoutSetter("x"), ValueType.of(WithoutSetter.class)))
        .as("a field without a way in")
        .isNull();
    assertThat(values.write(new Secret("p", "n"), ValueType.of(Secret.class)))
        .as("a field without a way out")
        .isNull();
    assertThat(values.write(new Open(Optional.of(4)), ValueType.of(Open.class)))
        .as("an option")
        .isNull();
    assertThat(values.write(new Payment(new Card("4")), ValueType.of(Payment.class)))
        .as("an interface within")
        .isNull();
    assertThat(values.write(List.of(new SpecialRow()), rows())).as("an element").isNull();
    assertThat(values.write(Map.of("a", new SpecialRow()), rowsByName())).as("an entry").isNull();
    assertThat(output).as("one warning").containsOnlyOnce("is not kept");
  }

  @Test
  void aValueThatCannotBeReadIsWarnedOfOnce(CapturedOutput output) {
    byte[] bytes = values.write(new Point(1, 2), ValueType.of(Point.class));
    assertThat(bytes).isNotNull();
    bytes[bytes.length - 1] = 'x';
    assertThat(values.read(bytes, ValueType.of(Point.class))).isNull();
    assertThat(values.read(bytes, ValueType.of(Point.class))).isNull();
    assertThat(output).containsOnlyOnce("cannot be read as " + Point.class.getName());
  }

  private static ValueType<?> type(String method) {
    return new ValueType<>(
        readable().stream()
            .filter(m -> m.getName().equals(method))
            .map(Method::getGenericReturnType)
            .findFirst()
            .orElseThrow());
  }

  interface Rows {
    List<Row> rows();

    Map<String, Row> byName();
  }

  private static ValueType<?> rows() {
    return new ValueType<>(returns("rows"));
  }

  private static ValueType<?> rowsByName() {
    return new ValueType<>(returns("byName"));
  }

  private static Type returns(String method) {
    try {
      return Rows.class.getDeclaredMethod(method).getGenericReturnType();
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }
}
