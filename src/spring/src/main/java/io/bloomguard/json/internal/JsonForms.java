package io.bloomguard.json.internal;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.std.FromStringDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializerBase;

/**
 * The forms that types have in our JSON alone, where Jackson's own would lose a part of what common
 * mappers produce. The build for Spring Boot 3 makes that for Jackson 2 of it.
 */
final class JsonForms extends JacksonAnnotationIntrospector {

  private static final long serialVersionUID = 1L;

  /** The declared types that do not tell their values' classes: JSON names these. */
  private static final Set<Class<?>> OPEN = Set.of(Object.class, Number.class, Serializable.class);

  /** The containers that JSON names by their interface. */
  private static final Map<Class<?>, Class<?>> CONTAINERS =
      Map.of(
          List.class,
          ArrayList.class,
          Set.class,
          LinkedHashSet.class,
          Map.class,
          LinkedHashMap.class);

  /** The other classes that JSON names; texts and most numbers need no name. */
  private static final Class<?>[] OTHERS = {
    Byte.class, Short.class, Long.class, Float.class, Double.class, Character.class,
    BigInteger.class, BigDecimal.class, byte[].class, UUID.class, Duration.class, Instant.class,
    Date.class, java.sql.Date.class, Time.class, Timestamp.class, LocalDate.class, LocalTime.class,
    LocalDateTime.class, OffsetDateTime.class, ZonedDateTime.class
  };

  /** The only names that are read, and the classes that they stand for. */
  private static final List<NamedType> NAMED =
      Stream.concat(
              CONTAINERS.entrySet().stream()
                  .map(each -> new NamedType(each.getValue(), each.getKey().getName())),
              Stream.of(OTHERS).map(each -> new NamedType(each, each.getName())))
          .toList();

  private static final JsonTypeInfo.Value BY_NAME =
      JsonTypeInfo.Value.construct(
          JsonTypeInfo.Id.NAME, JsonTypeInfo.As.WRAPPER_ARRAY, null, null, false, null);

  /** Texts for types of which Jackson keeps milliseconds, seconds, or nothing; sets in order. */
  static SimpleModule module() {
    SimpleModule module = new SimpleModule("bloomguard");
    module.addAbstractTypeMapping(Set.class, LinkedHashSet.class);
    text(module, Timestamp.class, Timestamp::toInstant, at -> Timestamp.from(Instant.parse(at)));
    text(module, java.sql.Date.class, Date::getTime, day -> new java.sql.Date(Long.parseLong(day)));
    text(module, Time.class, Date::getTime, time -> new Time(Long.parseLong(time)));
    // The letter, because Jackson takes an empty text for none.
    text(
        module,
        BitSet.class,
        bits -> "x" + HexFormat.of().formatHex(bits.toByteArray()),
        text -> BitSet.valueOf(HexFormat.of().parseHex(text.substring(1))));
    return module;
  }

  private static <T> void text(
      SimpleModule module, Class<T> type, Function<T, Object> writer, Function<String, T> reader) {
    module.addSerializer(
        type,
        new ToStringSerializerBase(type) {
          @Override
          public String valueToString(Object value) {
            return writer.apply(type.cast(value)).toString();
          }
        });
    module.addDeserializer(
        type,
        new FromStringDeserializer<T>(type) {
          @Override
          protected T _deserialize(String value, DeserializationContext context) {
            return reader.apply(value);
          }
        });
  }

  /** What is added to the name of a type whose form is our own; empty for others. */
  static String mark(Class<?> type) {
    return OPEN.contains(type) || type.getName().startsWith("java.sql.") ? " (ours)" : "";
  }

  /** The type by which a value is written: a {@code Date} as no more than one, whatever it is. */
  static JavaType written(JavaType type) {
    return holdsDates(type) ? type.withStaticTyping() : type;
  }

  private static boolean holdsDates(JavaType type) {
    return content(type).hasRawClass(Date.class);
  }

  /** What a type contains, and what that contains; the type itself if it contains nothing. */
  static JavaType content(JavaType type) {
    JavaType content = type.getContentType();
    return content == null ? type : content(content);
  }

  @Override
  public JsonSerialize.@Nullable Typing findSerializationTyping(
      MapperConfig<?> config, Annotated annotated) {
    return annotated instanceof AnnotatedMember && holdsDates(annotated.getType())
        ? JsonSerialize.Typing.STATIC
        : super.findSerializationTyping(config, annotated);
  }

  /** Patterns and zones are for people, and leave a part of a time out. */
  @Override
  public JsonFormat.@Nullable Value findFormat(MapperConfig<?> config, Annotated annotated) {
    JsonFormat.Value format = super.findFormat(config, annotated);
    Class<?> type = annotated.getRawType();
    return format == null
            || Temporal.class.isAssignableFrom(type)
            || Date.class.isAssignableFrom(type)
        ? null
        : format.withPattern("").withLocale(null).withTimeZone(null);
  }

  @Override
  public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(
      MapperConfig<?> config, Annotated annotated) {
    return isOpen(annotated) ? BY_NAME : super.findPolymorphicTypeInfo(config, annotated);
  }

  @Override
  public @Nullable List<NamedType> findSubtypes(MapperConfig<?> config, Annotated annotated) {
    return isOpen(annotated) ? NAMED : super.findSubtypes(config, annotated);
  }

  @Override
  public @Nullable String findTypeName(MapperConfig<?> config, AnnotatedClass annotated) {
    String name = super.findTypeName(config, annotated);
    return name != null
        ? name
        : CONTAINERS.keySet().stream()
            .filter(each -> each.isAssignableFrom(annotated.getRawType()))
            .findFirst()
            .map(Class::getName)
            .orElse(null);
  }

  private static boolean isOpen(Annotated annotated) {
    return annotated instanceof AnnotatedClass && OPEN.contains(annotated.getRawType());
  }
}
