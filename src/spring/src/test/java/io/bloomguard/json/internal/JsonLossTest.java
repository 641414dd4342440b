package io.bloomguard.json.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.bloomguard.guard.ValueType;
import java.lang.reflect.Type;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.LinkedCaseInsensitiveMap;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.ToStringSerializerBase;

/** Values of classes whose {@code equals} does not tell what their JSON leaves out. */
@ExtendWith(OutputCaptureExtension.class)
class JsonLossTest {

  public static class Ignored {
    public String name = "n";
    @JsonIgnore public @Nullable String password;

    static Ignored of(@Nullable String password) {
      Ignored made = new Ignored();
      made.password = password;
      return made;
    }
  }

  /** Equal by its id. */
  public static class Account extends Ignored {
    public long id = 7;

    static Account withPassword() {
      Account made = new Account();
      made.password = "p";
      return made;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Account account && account.id == id;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(id);
    }
  }

  public static class WriteOnly {
    public String name = "n";

    @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
    public @Nullable String password;

    static WriteOnly withPassword() {
      WriteOnly made = new WriteOnly();
      made.password = "p";
      return made;
    }
  }

  record Masked(@JsonSerialize(using = Mask.class) String password) {}

  public static final class Mask extends ToStringSerializerBase {
    public Mask() {
      super(String.class);
    }

    @Override
    public String valueToString(Object value) {
      return "***";
    }
  }

  public static class WithoutAccessor {
    public String name = "n";
    private @Nullable String password;

    static WithoutAccessor of(@Nullable String password) {
      WithoutAccessor made = new WithoutAccessor();
      made.password = password;
      return made;
    }

    boolean isOpen() {
      return password == null;
    }
  }

  public static class Holder<T> {
    public @Nullable T content;

    static <T> Holder<T> of(T content) {
      Holder<T> made = new Holder<>();
      made.content = content;
      return made;
    }
  }

  public static class Anything extends Holder<Object> {
    static Anything with(Object content) {
      Anything made = new Anything();
      made.content = content;
      return made;
    }
  }

  /** What is no part of its state, or is there in each copy. */
  public static class Behaviour {
    private static @Nullable String last = "l";
    private final transient List<String> seen = new ArrayList<>();
    @JsonIgnore private final ReentrantLock lock = new ReentrantLock();
    @JsonIgnore private final long text$delegate = System.nanoTime();
    @JsonIgnore private final Runnable listener = () -> seen.add("");
    private @Nullable String computed;
    public AtomicLong count = new AtomicLong(3);

    static Behaviour used() {
      Behaviour made = new Behaviour();
      made.seen.add("x" + last + made.lock + made.text$delegate);
      made.listener.run();
      return made;
    }

    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public String getText() {
      computed = "late";
      return computed;
    }
  }

  public static class Parent {
    public String name = "n";
    @JsonManagedReference public List<Child> children = new ArrayList<>();

    static Parent of(int children) {
      Parent made = new Parent();
      for (int i = 0; i < children; i++) {
        Child child = new Child();
        child.parent = made;
        made.children.add(child);
      }
      return made;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Parent parent && parent.children.equals(children);
    }

    @Override
    public int hashCode() {
      return children.hashCode();
    }
  }

  public static class Child {
    @JsonBackReference public @Nullable Parent parent;

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Child child && child.parent != null && child.parent.equals(parent);
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  record Sorted(NavigableMap<String, Integer> numbers, SortedSet<String> names) {}

  /** The declared types. */
  interface Declared {
    Optional<Ignored> optional();

    List<Holder<Ignored>> list();

    Set<Ignored> set();

    Map<String, Ignored[]> map();

    Map<String, Object> row();

    Map<Object, String> byAny();

    Holder<List<Object>> objects();

    Holder<Date> date();

    Holder<URL> url();

    Collection<String> strings();

    Map.Entry<String, Ignored> entry();

    Holder<Pattern> pattern();

    Holder<SortedMap<String, Integer>> sortedMap();

    Holder<Set<String>> names();

    Sorted sorted();
  }

  static Stream<Arguments> lost() {
    Map<String, Object> row = new LinkedCaseInsensitiveMap<>();
    row.put("NAME", "n");
    SortedSet<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.add("a");
    SortedMap<String, Integer> numbers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    numbers.put("a", 1);
    return Stream.of(
        Arguments.of(type("names"), Holder.of(names)),
        Arguments.of(type("sortedMap"), Holder.of(numbers)),
        Arguments.of(type("pattern"), Holder.of(Pattern.compile("a", Pattern.CASE_INSENSITIVE))),
        Arguments.of(Ignored.class, Ignored.of("p")),
        Arguments.of(Account.class, Account.withPassword()),
        Arguments.of(WriteOnly.class, WriteOnly.withPassword()),
        Arguments.of(WithoutAccessor.class, WithoutAccessor.of("p")),
        Arguments.of(Anything.class, Anything.with(new Ignored())),
        Arguments.of(Masked.class, new Masked("p")),
        Arguments.of(type("optional"), Optional.of(Ignored.of("p"))),
        Arguments.of(
            type("list"), List.of(Holder.of(Ignored.of(null)), Holder.of(Ignored.of("p")))),
        Arguments.of(type("set"), new HashSet<>(List.of(Ignored.of(null), Ignored.of("p")))),
        Arguments.of(type("map"), Map.of("a", new Ignored[] {Ignored.of("p")})),
        Arguments.of(type("row"), row),
        Arguments.of(type("byAny"), Map.of(42L, "a")),
        Arguments.of(type("strings"), Set.of("a", "b")),
        Arguments.of(type("entry"), Map.entry("a", Ignored.of("p"))),
        Arguments.of(type("sorted"), new Sorted(reversed(), new TreeSet<>(Set.of("a")))));
  }

  static Stream<Arguments> kept() {
    return Stream.of(
        Arguments.of(Ignored.class, Ignored.of(null)),
        Arguments.of(Account.class, new Account()),
        Arguments.of(WithoutAccessor.class, WithoutAccessor.of(null)),
        Arguments.of(Anything.class, Anything.with(42)),
        Arguments.of(Anything.class, Anything.with(List.of("a", Map.of("b", 1.5)))),
        Arguments.of(Anything.class, Anything.with(42L)),
        Arguments.of(Anything.class, Anything.with(new Date(7))),
        Arguments.of(Anything.class, Anything.with(Map.of("a", 42L))),
        Arguments.of(type("row"), Map.of("id", 42L)),
        Arguments.of(type("objects"), Holder.of(List.of(1, 42L))),
        Arguments.of(type("date"), Holder.of(new Timestamp(7))),
        Arguments.of(Behaviour.class, Behaviour.used()),
        Arguments.of(Parent.class, Parent.of(2)),
        Arguments.of(type("optional"), Optional.of(Ignored.of(null))),
        Arguments.of(type("set"), new HashSet<>(List.of(Ignored.of(null), Ignored.of(null)))),
        Arguments.of(type("map"), Map.of("a", new Ignored[] {Ignored.of(null)})),
        Arguments.of(type("row"), new HashMap<>(Map.of("id", 42, "Name", "n"))),
        Arguments.of(type("objects"), Holder.of(List.of(1, "a", Map.of()))),
        Arguments.of(type("date"), Holder.of(new Date(7))),
        Arguments.of(type("pattern"), Holder.of(Pattern.compile("a"))),
        Arguments.of(type("url"), Holder.of(url())),
        Arguments.of(type("strings"), new LinkedHashMap<>(Map.of(1, "a", 2, "b")).values()),
        Arguments.of(type("entry"), Map.entry("a", Ignored.of(null))),
        Arguments.of(
            type("sorted"), new Sorted(new TreeMap<>(Map.of("a", 1, "b", 2)), new TreeSet<>())));
  }

  @ParameterizedTest
  @MethodSource("lost")
  void whatJsonLosesIsNotKept(Type type, Object value, CapturedOutput output) {
    assertThat(new JsonValues("shop").write(value, new ValueType<>(type))).isNull();
    assertThat(output).containsOnlyOnce("is not kept");
  }

  @ParameterizedTest
  @MethodSource("kept")
  void whatComesBackIsKept(Type type, Object value, CapturedOutput output) {
    assertThat(new JsonValues("shop").write(value, new ValueType<>(type))).isNotNull();
    assertThat(output).doesNotContain("is not kept");
  }

  @Test
  void aSetComesBackInTheOrderOfItsRows() {
    Set<String> rows = new LinkedHashSet<>(List.of("tag-3", "tag-20", "tag-1", "tag-11"));
    JsonValues json = new JsonValues("shop");
    ValueType<Holder<Set<String>>> type = new ValueType<>(type("names"));
    Holder<Set<String>> back = json.read(json.write(Holder.of(rows), type), type);
    assertThat(back.content).containsExactlyElementsOf(rows);
  }

  @Test
  void theWarningNamesTheFieldAndNoValue(CapturedOutput output) {
    new JsonValues("shop").write(Ignored.of("hush"), ValueType.of(Ignored.class));
    assertThat(output).contains(Ignored.class.getTypeName() + ".password").doesNotContain("hush");
  }

  @Test
  void aValueWithoutAnEndOfPartsIsNotCompared() {
    List<Integer> zeros = List.of(0);
    assertThat(JsonLoss.of(nested(10), nested(10))).isNull();
    assertThat(JsonLoss.of(nested(100_000), nested(100_000))).as("deep").isNull();
    int[] most = IntStream.range(0, JsonLoss.MOST_PAIRS).toArray();
    assertThat(JsonLoss.of(zeros, new ArrayList<>(zeros))).isNull();
    assertThat(JsonLoss.of(boxed(most), boxed(most))).contains("too large");
  }

  private static Object nested(int depth) {
    Object value = 0;
    for (int i = 0; i < depth; i++) {
      value = new Object[] {value};
    }
    return value;
  }

  private static List<Integer> boxed(int... numbers) {
    return IntStream.of(numbers).boxed().toList();
  }

  private static NavigableMap<String, Integer> reversed() {
    return new TreeMap<>(Map.of("a", 1, "b", 2)).descendingMap();
  }

  private static URL url() {
    try {
      return URI.create("http://bloomguard.invalid/").toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Type type(String method) {
    try {
      return Declared.class.getDeclaredMethod(method).getGenericReturnType();
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }
}
