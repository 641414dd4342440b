package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.aop.internal.method.PropertyPath;
import io.bloomguard.aop.internal.method.RowClasses;
import io.bloomguard.filter.internal.CanonicalKey;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * The property by which a row names its key: that of its {@link BloomKey}, or the one after which
 * the parameter of the keys is called ({@code isbns}, {@code isbnList}), the row's id for {@code
 * ids}.
 */
final class RowKeyNames {

  private RowKeyNames() {}

  /** The property of a row; null if it has none that can be a key. */
  static @Nullable PropertyPath of(ResolvableType row, String filter, String parameter) {
    Class<?> type = row.resolve(Object.class);
    if (type.isPrimitive() || type.getName().startsWith("java.")) {
      return null;
    }
    for (String name : names(type, filter, parameter)) {
      PropertyPath path = path(row, name);
      if (path != null && CanonicalKey.supports(path.type().resolve(Object.class))) {
        return path;
      }
    }
    return null;
  }

  private static @Nullable PropertyPath path(ResolvableType row, String name) {
    try {
      return PropertyPath.compile(row, Arrays.asList(name.split("\\.", -1)));
    } catch (IllegalArgumentException e) { // no such property
      Field field = ReflectionUtils.findField(row.resolve(Object.class), name);
      return field == null ? null : PropertyPath.of(field, row);
    }
  }

  private static Set<String> names(Class<?> type, String filter, String parameter) {
    String key = key(parameter);
    boolean byId =
        key.equals("id")
            || key.equals("key")
            || (key.endsWith("Id") && isNamed(type, key.substring(0, key.length() - 2)));
    Set<String> names = new LinkedHashSet<>();
    for (RowClasses.Keyed keyed : RowClasses.keys(type).toList()) {
      if (keyed.filter().equals(filter)) {
        byId |= keyed.property().isEmpty();
        names.add(keyed.property().isEmpty() ? "id" : keyed.property());
      }
    }
    names.add(key);
    if (byId) {
      RowClasses.ids(type).forEach(names::add);
      names.add("id");
    }
    names.remove(""); // of a parameter without a name
    return names;
  }

  /** The name of one key of a parameter. */
  static String key(String parameter) {
    return parameter.replaceFirst("(?<=.)(List|Set|Array|Collection|s)$", "");
  }

  private static boolean isNamed(Class<?> type, String name) {
    return type.getSimpleName().toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT));
  }
}
