package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.internal.EntryGuard;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The positions of the keys in the answers of one method that takes several. The method gets fewer
 * keys than its caller passed, so each key that it did not get is given a gap in the answer.
 *
 * <p>A method that does not declare its positions may as well answer rows in any order. Its
 * elements name their keys: an answer has positions if there is an element for each key, none of
 * them in the place of another key. Rows in the order of the keys look the same, so that only lists
 * of a list of keys are taken for positions, until a row has been seen in the place of another key;
 * those of other collections once one has had a null.
 *
 * @param method its name, for messages
 * @param container the class of the answer: an array, or one that a list is an instance of
 * @param gap makes the element for a key that is not passed
 * @param named the key that an element names; null if the method declares its positions
 * @param assumed whether an answer without a null may have positions that are not declared
 * @param rows set once a row has been seen in the place of another key
 */
public record KeyPositions(
    String method,
    Class<?> container,
    Supplier<? extends @Nullable Object> gap,
    @Nullable UnaryOperator<@Nullable Object> named,
    AtomicBoolean assumed,
    AtomicBoolean rows) {

  /** Positions that a method declares. */
  public static KeyPositions declared(
      String method, Class<?> container, Supplier<? extends @Nullable Object> gap) {
    return new KeyPositions(method, container, gap, null, new AtomicBoolean(), new AtomicBoolean());
  }

  /** Positions that an answer may have. */
  public static KeyPositions perhaps(
      Class<?> container, UnaryOperator<@Nullable Object> named, boolean assumed) {
    return new KeyPositions(
        "", container, () -> null, named, new AtomicBoolean(assumed), new AtomicBoolean());
  }

  boolean areDeclared() {
    return named == null;
  }

  /** The answer for keys of which none passes. */
  Object gaps(List<?> all) {
    return MultiKeyCalls.like(container, spread(List.of(), all, List.of()));
  }

  /**
   * The answer for all keys.
   *
   * @param passed the keys that the method got, in their order; each is an instance in {@code all}
   * @throws IllegalStateException if the answer does not have the size that the method declares
   */
  @Nullable Object of(@Nullable Object answer, List<?> all, List<?> passed, EntryGuard<?> guard) {
    List<?> elements = answer == null ? List.of() : new ArrayList<>(MultiKeyCalls.keys(answer));
    if (elements.size() != passed.size() || !areDeclared() && !fit(elements, passed, guard)) {
      if (areDeclared()) {
        throw new IllegalStateException(
            ("%s answered %s elements for %s keys. With positional = true it must answer one for"
                    + " each key, empty for a key without a value")
                .formatted(method, elements.size(), passed.size()));
      }
      return answer;
    }
    return passed.size() == all.size()
        ? answer
        : MultiKeyCalls.like(container, spread(elements, all, passed));
  }

  @SuppressWarnings("ReferenceEquality") // the passed keys are instances of those asked for
  private List<@Nullable Object> spread(List<?> elements, List<?> all, List<?> passed) {
    List<@Nullable Object> spread = new ArrayList<>(all.size());
    int next = 0;
    for (Object key : all) {
      boolean isPassed = next < passed.size() && passed.get(next) == key;
      spread.add(isPassed ? elements.get(next++) : gap.get());
    }
    return spread;
  }

  private boolean fit(List<?> elements, List<?> passed, EntryGuard<?> guard) {
    if (!rows.get() && isMisplaced(elements, passed, guard)) {
      rows.set(true);
    }
    if (elements.contains(null)) {
      assumed.set(true);
    }
    return !rows.get() && assumed.get();
  }

  /** Whether all elements name one of the keys, and some another than the one in their place. */
  private boolean isMisplaced(List<?> elements, List<?> passed, EntryGuard<?> guard) {
    List<@Nullable String> texts = new ArrayList<>(passed.size());
    passed.forEach(key -> texts.add(guard.text(key)));
    Set<@Nullable String> known = new HashSet<>(texts);
    boolean misplaced = false;
    for (int i = 0; i < elements.size(); i++) {
      Object key = Objects.requireNonNull(named).apply(elements.get(i));
      if (key != null) {
        String text = guard.text(key);
        if (!known.contains(text)) {
          return false;
        }
        misplaced |= !Objects.equals(text, texts.get(i));
      }
    }
    return misplaced;
  }
}
