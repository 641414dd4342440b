package io.bloomguard.json.internal;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * The comparison of a value with its copy that was read from JSON, field by field: an {@code
 * equals} of the value may look at its id alone.
 */
final class JsonLoss {

  /** The most pairs that are compared for one value. */
  static final int MOST_PAIRS = 1_000_000;

  private static final Pattern JSON = Pattern.compile("(tools|com\\.fasterxml)\\.jackson\\.");

  /** A class's fields with those of its superclasses; empty for one that is compared as a whole. */
  private static final ClassValue<List<Field>> FIELDS =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          List<Field> fields = new ArrayList<>();
          ReflectionUtils.doWithFields(type, fields::add, JsonLoss::counts);
          return fields.stream().allMatch(Field::trySetAccessible) ? fields : List.of();
        }
      };

  private final Deque<Pair> open = new ArrayDeque<>();
  private final Set<Pair> seen = new HashSet<>();
  private int left;

  private JsonLoss(int left) {
    this.left = left;
  }

  /** The same objects are the same pair, whatever their {@code equals}. */
  private record Pair(@Nullable Object value, @Nullable Object copy, @Nullable Field field) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Pair pair && pair.value == value && pair.copy == copy;
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(value) + System.identityHashCode(copy);
    }
  }

  /** The part of {@code value} that {@code copy} lacks, as a clause; null for nothing. */
  static @Nullable String of(Object value, Object copy) {
    try {
      return new JsonLoss(MOST_PAIRS).find(value, copy);
    } catch (RuntimeException e) {
      return "it cannot be compared with its copy (" + e.getClass().getSimpleName() + ")";
    }
  }

  /** Whether fields say more of a class than its {@code equals}: not so in the platform's own. */
  private static boolean isOpen(Class<?> type) {
    return type.getClassLoader() != null
        && type.getClassLoader() != ClassLoader.getPlatformClassLoader()
        && !JSON.matcher(type.getName()).lookingAt();
  }

  private static boolean counts(Field field) {
    return isOpen(field.getDeclaringClass())
        && (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0
        && !field.isSynthetic()
        && !field.getName().endsWith("$delegate"); // of Kotlin, whose lazy values fill late
  }

  private @Nullable String find(@Nullable Object value, @Nullable Object copy) {
    add(value, copy, null);
    // A loop, since a value may be nested deeper than a stack.
    for (Pair pair = open.poll(); pair != null; pair = open.poll()) {
      if (--left < 0) {
        return "it is too large to be compared";
      }
      if (pair.value != pair.copy && !isSame(pair)) {
        return clause(pair);
      }
    }
    return null;
  }

  private static String clause(Pair pair) {
    if (pair.value instanceof Map && pair.copy instanceof Map) {
      return "the keys of a " + pair.value.getClass().getTypeName() + " come back otherwise";
    }
    if (pair.value != null && pair.copy != null && pair.value.getClass() != pair.copy.getClass()) {
      return "a "
          + pair.value.getClass().getTypeName()
          + " comes back as a "
          + pair.copy.getClass().getTypeName();
    }
    return pair.field == null
        ? "it does not come back equal"
        : "the field %s.%s does not come back equal"
            .formatted(pair.field.getDeclaringClass().getTypeName(), pair.field.getName());
  }

  private void add(@Nullable Object value, @Nullable Object copy, @Nullable Field field) {
    open.push(new Pair(value, copy, field));
  }

  /** Whether the two are the same but for their parts, which are compared later. */
  private boolean isSame(Pair pair) {
    Object value = pair.value;
    Object copy = pair.copy;
    if (value == null || copy == null || value instanceof Enum || hidden(value) != hidden(copy)) {
      return false;
    }
    if (value instanceof Map<?, ?> one && copy instanceof Map<?, ?> other) {
      return haveSameKeys(one, other, pair.field);
    }
    if (value instanceof Set<?> one
        && copy instanceof Set<?> other
        && !(copy instanceof SortedSet)) {
      return haveSameMembers(one, other, pair.field);
    }
    Iterable<?> parts = parts(value, copy);
    if (parts != null) {
      return haveSameLength(parts, parts(copy, copy), pair.field);
    }
    return value.getClass() == copy.getClass()
        ? isSameObject(pair, value, copy)
        : isDeclared(value, copy);
  }

  /** The parts of a value in their order; null unless the other is of its kind, and has some. */
  private static @Nullable Iterable<?> parts(Object value, Object other) {
    if (value instanceof Optional<?> one && other instanceof Optional) {
      return one.stream().toList();
    }
    if (value instanceof Map.Entry<?, ?> one && other instanceof Map.Entry) {
      return Arrays.asList(one.getKey(), one.getValue());
    }
    if (value instanceof Object[] one && other instanceof Object[]) {
      return Arrays.asList(one);
    }
    return value instanceof Iterable<?> one
            && other instanceof Collection
            && value instanceof Set == other instanceof Set
        ? one
        : null;
  }

  /** What neither the parts of a value nor its JSON tell: the flags, or that case is ignored. */
  private static int hidden(Object value) {
    Object order =
        value instanceof SortedMap<?, ?> map
            ? map.comparator()
            : value instanceof SortedSet<?> set ? set.comparator() : null;
    return value instanceof Pattern pattern
        ? pattern.flags()
        : order == String.CASE_INSENSITIVE_ORDER ? 1 : 0;
  }

  private boolean haveSameLength(
      Iterable<?> values, @Nullable Iterable<?> copies, @Nullable Field field) {
    Iterator<?> copy = Objects.requireNonNull(copies).iterator();
    for (Object value : values) {
      if (!copy.hasNext()) {
        return false;
      }
      add(value, copy.next(), field);
    }
    return !copy.hasNext();
  }

  private boolean haveSameMembers(Set<?> values, Set<?> copies, @Nullable Field field) {
    Map<@Nullable Object, @Nullable Object> members = new HashMap<>();
    copies.forEach(copy -> members.put(copy, copy));
    for (Object value : values) {
      if (members.containsKey(value)) {
        add(value, members.get(value), field);
      } else if (copies.stream().noneMatch(copy -> isFound(value, copy))) {
        return false;
      }
    }
    return values.size() == copies.size();
  }

  /** Whether nothing is lost of a member without an {@code equals} by which to find its copy. */
  private boolean isFound(@Nullable Object value, @Nullable Object copy) {
    JsonLoss member = new JsonLoss(left);
    boolean found = member.find(value, copy) == null;
    left = member.left;
    return found;
  }

  private boolean haveSameKeys(Map<?, ?> values, Map<?, ?> copies, @Nullable Field field) {
    if (copies instanceof SortedMap && !haveSameLength(values.keySet(), copies.keySet(), field)) {
      return false;
    }
    boolean sameClass = values.getClass() == copies.getClass();
    for (Map.Entry<?, ?> entry : values.entrySet()) {
      Object key = entry.getKey();
      if (!copies.containsKey(key)
          || !sameClass && key instanceof String text && ignoresCase(values, copies, text)) {
        return false;
      }
      add(entry.getValue(), copies.get(key), field);
    }
    return values.size() == copies.size();
  }

  /** Whether the key is found in another case in one of the two maps alone. */
  private static boolean ignoresCase(Map<?, ?> values, Map<?, ?> copies, String key) {
    String upper = key.toUpperCase(Locale.ROOT);
    String other = key.equals(upper) ? key.toLowerCase(Locale.ROOT) : upper;
    return values.containsKey(other) != copies.containsKey(other);
  }

  private boolean isSameObject(Pair pair, Object value, Object copy) {
    List<Field> fields = FIELDS.get(value.getClass());
    if (fields.isEmpty()) {
      // Without an equals of its own even a second copy is another; that of URL asks the network.
      return Objects.deepEquals(value instanceof URL ? copy : value, copy)
          || !value.getClass().isArray() && !hasEquals(value.getClass());
    }
    if (seen.add(pair)) {
      for (Field field : fields) {
        add(ReflectionUtils.getField(field, value), ReflectionUtils.getField(field, copy), field);
      }
    }
    return true;
  }

  /** Whether a value of the platform's, such as a Timestamp, comes back as its declared type. */
  private static boolean isDeclared(Object value, Object copy) {
    return !isOpen(value.getClass())
        && copy.getClass().isInstance(value)
        && hasEquals(copy.getClass())
        && copy.equals(value);
  }

  private static boolean hasEquals(Class<?> type) {
    Method equals = ReflectionUtils.findMethod(type, "equals", Object.class);
    return equals != null && equals.getDeclaringClass() != Object.class;
  }
}
