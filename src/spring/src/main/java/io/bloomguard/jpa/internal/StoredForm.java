package io.bloomguard.jpa.internal;

import io.bloomguard.guard.internal.KeyedAttribute;
import java.math.BigDecimal;
import java.util.Map;
import java.util.UUID;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.CustomType;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The form in which a column holds the values of an attribute: as Hibernate binds them, after an
 * {@code AttributeConverter} and by the column's JDBC type, and as a key source reads them.
 *
 * <p>A UUID in a binary column keeps its own form: such a column is no key, so the source's query
 * converts it to text.
 *
 * @param read the class as which the values are bound
 */
record StoredForm(JdbcMapping mapping, Class<?> read, WrapperOptions options) {

  /**
   * The form of a column.
   *
   * @throws IllegalArgumentException if it is not known, or cannot be a key; the message is the
   *     rest of a sentence about the attribute
   */
  static StoredForm of(JdbcMapping mapping, WrapperOptions options) {
    if (mapping instanceof CustomType<?>) {
      throw new IllegalArgumentException(
          "bound by a UserType of the application, so the value in its column is not known");
    }
    Class<?> binder = mapping.getJdbcType().getClass();
    if (!binder.getName().startsWith("org.hibernate.")) {
      throw new IllegalArgumentException(
          "bound by the JdbcType %s of the application, so the value in its column is not known"
              .formatted(binder.getSimpleName()));
    }
    Class<?> java = mapping.getJdbcJavaType().getJavaTypeClass();
    Class<?> read = read(mapping.getJdbcType().getDefaultSqlTypeCode(), java);
    if (read == null) {
      throw new IllegalArgumentException(
          "stored as a " + java.getTypeName() + ", which cannot be a key");
    }
    return new StoredForm(mapping, read, options);
  }

  private static @Nullable Class<?> read(int sqlType, Class<?> java) {
    if (SqlTypes.isCharacterOrClobType(sqlType) || SqlTypes.isEnumType(sqlType)) {
      return String.class;
    }
    return switch (sqlType) {
      case SqlTypes.TINYINT -> Byte.class;
      case SqlTypes.SMALLINT -> Short.class;
      case SqlTypes.INTEGER -> Integer.class;
      case SqlTypes.BIGINT -> Long.class;
      // An enum of the database, which is read as the name of its constant.
      case SqlTypes.ORDINAL_ENUM, SqlTypes.NAMED_ORDINAL_ENUM -> String.class;
      case SqlTypes.NUMERIC, SqlTypes.DECIMAL -> BigDecimal.class;
      default -> java == UUID.class ? UUID.class : null;
    };
  }

  /** The stored form of a value; null if it is stored as null. */
  @Nullable Object of(Object value) {
    Object relational = mapping.convertToRelationalValue(value);
    if (relational instanceof Enum<?> constant && read == String.class) {
      return constant.name();
    }
    return relational == null ? null : unwrap(mapping.getJdbcJavaType(), relational);
  }

  @SuppressWarnings("unchecked") // as Hibernate's own binder does
  private <J> @Nullable Object unwrap(JavaType<J> type, Object value) {
    return type.unwrap((J) value, read, options);
  }

  /** The class of the attribute's values. */
  Class<?> type() {
    return ClassUtils.resolvePrimitiveIfNecessary(
        mapping.getJavaTypeDescriptor().getJavaTypeClass());
  }

  /** Values of the attribute, each with its stored form. */
  @SuppressWarnings(
      "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
  Map<Object, Object> samples() {
    return KeyedAttribute.samples(type(), this::of);
  }
}
