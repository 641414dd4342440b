package io.bloomguard.data.internal.row;

import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.KeyScope;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A class whose objects are rows, as its mapper knows it.
 *
 * @param <R> a row, as the mapper has it
 */
public interface RowType<R> {

  /** {@return the name of the class, or of what stands for it, for messages} */
  String name();

  /** {@return the class; null for rows of no class} */
  @Nullable Class<?> type();

  /** {@return the names of the attributes of its rows} */
  Collection<String> attributes();

  /**
   * {@return the path to an attribute}
   *
   * @param attribute its name, or names with dots; empty for the id
   * @throws StartRefusedException if there is none, or it cannot be a key
   */
  RowPath<R> path(String attribute);

  /**
   * {@return the attributes that a key has as its parts}
   *
   * @param attribute as the annotation has it: names with commas between them; empty for the id
   */
  default List<String> parts(String attribute) {
    return List.of(attribute.split(",", -1));
  }

  /**
   * {@return the attributes of a key that is a record}
   *
   * @param owner the attribute that has it; null if its components are attributes of the row
   * @param type the class of the record
   */
  static List<String> components(@Nullable String owner, Class<?> type) {
    return Arrays.stream(type.getRecordComponents())
        .map(part -> owner == null ? part.getName() : owner + "." + part.getName())
        .toList();
  }

  /**
   * {@return the attribute in which a row has the scope of its key; null for none}
   *
   * @param column the first column of the filter's source, empty if it is not known
   */
  default @Nullable String scope(String column) {
    return KeyScope.property(column, attributes(), this::isSimple);
  }

  private boolean isSimple(String attribute) {
    try {
      return path(attribute).target() == null;
    } catch (StartRefusedException e) {
      return false;
    }
  }

  /**
   * {@return the refusal of an annotation of this class}
   *
   * @param problem the fault, as the rest of a sentence about the class
   * @param action the remedy
   */
  default StartRefusedException refusal(String problem, String action) {
    return refusal(name(), problem, action);
  }

  /**
   * {@return the refusal of an annotation}
   *
   * @param row the class that has it
   * @param problem the fault, as the rest of a sentence about the class
   * @param action the remedy
   */
  static StartRefusedException refusal(String row, String problem, String action) {
    return new StartRefusedException("@BloomKey on " + row + " " + problem, action);
  }

  /**
   * {@return the refusal of an attribute that there is not}
   *
   * @param attribute the name
   */
  default StartRefusedException unknown(String attribute) {
    return refusal(
        "names the attribute '" + attribute + "', which it does not have",
        "Name one of " + new TreeSet<>(attributes()));
  }

  /**
   * {@return the refusal of an attribute whose values are no keys}
   *
   * @param attribute the name
   * @param type the class of its values
   */
  default StartRefusedException noKey(String attribute, Class<?> type) {
    return refusal(
        "names the attribute '%s' of type %s, which cannot be a key"
            .formatted(attribute, type.getTypeName()),
        "Name an attribute that is text, an integral number, a UUID or an enum, or several of"
            + " these in the order of the lookup's key: @BloomKey(attribute = \"id.tenant,"
            + " id.number\")");
  }
}
