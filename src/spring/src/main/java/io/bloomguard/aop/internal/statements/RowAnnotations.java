package io.bloomguard.aop.internal.statements;

import io.bloomguard.aop.MappedStatements.Kind;
import io.bloomguard.aop.internal.method.RowClasses;
import io.bloomguard.aop.internal.method.RowClasses.Keyed;
import io.bloomguard.aop.internal.method.TypeArguments;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/** The filters that learn of a method's writes from a {@code @BloomKey} on what it writes. */
public final class RowAnnotations {

  /** The depth of the search for classes in type arguments. */
  private static final int DEPTH = 3;

  private static final String TABLE_FIELD = "com.baomidou.mybatisplus.annotation.TableField";

  private RowAnnotations() {}

  /** The filters that learn of all writes of a Spring Data repository, from its entity. */
  public static Set<String> ofRepository(Class<?> type) {
    return RowClasses.keys(RowClasses.ofRepository(type))
        .map(Keyed::filter)
        .collect(Collectors.toSet());
  }

  /** Whether Spring Data itself implements a method, for an entity of another module than JPA. */
  static boolean isQueried(Class<?> repository, Method method) {
    Class<?> entity = RowClasses.ofRepository(repository);
    return entity != null
        && RowClasses.isRepository(method.getDeclaringClass())
        && !method.isDefault()
        && !MergedAnnotations.from(entity, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
            .isPresent("jakarta.persistence.Entity");
  }

  /**
   * The filters that learn of one method's writes. Its parameters hold the rows, or it is inherited
   * from a type that is generic in them, as {@code BaseMapper<User>}. A change tells the filters
   * that hold the id: under another attribute the entry of the value before it stays.
   */
  static Set<String> told(Class<?> type, Method method, Kind kind) {
    ResolvableType bean = ResolvableType.forClass(type);
    List<Keyed> keys =
        Stream.concat(
                IntStream.range(0, method.getParameterCount())
                    .mapToObj(i -> new MethodParameter(method, i))
                    .map(parameter -> ResolvableType.forMethodParameter(parameter, bean)),
                Stream.of(bean.as(method.getDeclaringClass()).getGenerics()))
            .flatMap(each -> TypeArguments.within(each, DEPTH))
            .filter(each -> !each.isPrimitive())
            .flatMap(RowClasses::keys)
            .toList();
    Set<String> told = keys.stream().map(Keyed::filter).collect(Collectors.toSet());
    keys.stream()
        .filter(key -> !key.id() && kind != Kind.INSERTS)
        .forEach(key -> told.remove(key.filter()));
    return told;
  }

  /**
   * The columns by which rows of a mapper are deleted logically (MyBatis-Plus'
   * {@code @TableLogic}), each with the literal of a row that is not.
   */
  static Map<String, String> logicColumns(Class<?> mapper) {
    Map<String, String> columns = new LinkedHashMap<>();
    for (ResolvableType extended : ResolvableType.forClass(mapper).getInterfaces()) {
      for (ResolvableType argument : extended.getGenerics()) {
        ReflectionUtils.doWithFields(
            argument.resolve(Object.class), field -> logic(field, columns));
      }
      if (extended.resolve() != null) {
        columns.putAll(logicColumns(extended.resolve()));
      }
    }
    return columns;
  }

  private static void logic(Field field, Map<String, String> columns) {
    MergedAnnotations annotations = MergedAnnotations.from(field);
    annotations.stream()
        .filter(each -> each.getType().getSimpleName().equals("TableLogic"))
        .forEach(
            each -> {
              String present = each.getValue("value", String.class).orElse("");
              String column =
                  annotations.get(TABLE_FIELD).getValue("value", String.class).orElse("");
              columns.put(
                  column.isEmpty() ? column(field.getName()) : column.toLowerCase(Locale.ROOT),
                  WrittenColumns.plain(present.isEmpty() ? "0" : present));
            });
  }

  /** The column of a property, as MyBatis-Plus names it. */
  private static String column(String property) {
    return property.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
