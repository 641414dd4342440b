package io.bloomguard.json.internal;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.util.NameTransformer;

/**
 * The parts of a type's JSON, as Jackson resolves them for writing and for reading, be it from
 * annotations, mix-ins or modules. The build for Spring Boot 3 makes that for Jackson 2 of it.
 */
final class JsonTypes {

  /** Types with one form, which no version of an application changes. */
  private static final Pattern LEAVES =
      Pattern.compile("javax?\\.|kotlinx?\\.|tools\\.jackson\\.|com\\.fasterxml\\.jackson\\.");

  private final MapperConfig<?> config;
  private final AnnotationIntrospector annotations;
  private final Map<String, JavaType> parts;

  private JsonTypes(MapperConfig<?> config, Map<String, JavaType> parts) {
    this.config = config;
    this.annotations = config.getAnnotationIntrospector();
    this.parts = parts;
  }

  static JsonShape.Node<JavaType> node(JavaType type) {
    Class<?> raw = type.getRawClass();
    Map<String, JavaType> parts = new HashMap<>();
    if (type.isContainerType() || type.isReferenceType()) {
      put(parts, "key", type.getKeyType());
      put(parts, "content", type.getContentType());
    } else if (raw.isEnum()) {
      return new JsonShape.Node<>(constants(raw).sorted().toList().toString(), parts);
    } else if (!raw.isPrimitive() && !isLeaf(raw)) {
      JsonMappers.configs().forEach(config -> new JsonTypes(config, parts).describe(type));
      return new JsonShape.Node<>(parts.isEmpty() ? raw.getName() : "", parts);
    }
    return new JsonShape.Node<>(raw.isArray() ? "[]" : raw.getName() + JsonForms.mark(raw), parts);
  }

  private static boolean isLeaf(Class<?> type) {
    return LEAVES.matcher(type.getName()).lookingAt();
  }

  private static Stream<String> constants(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> ((Enum<?>) constant).name() + "=" + text(constant));
  }

  /** The JSON of a constant; empty if it has none. */
  private static String text(Object constant) {
    try {
      return JsonMappers.OURS.writeValueAsString(constant);
    } catch (JacksonException e) {
      return "";
    }
  }

  /** A name that is there for writing may have another type for reading. */
  private static void put(Map<String, JavaType> parts, String name, @Nullable JavaType part) {
    JavaType before = part == null ? null : parts.putIfAbsent(name, part);
    if (before != null && !before.equals(part)) {
      parts.put(name + " read", part);
    }
  }

  private void describe(JavaType type) {
    BeanDescription bean = JsonMappers.bean(config, type);
    Annotated head = bean.getClassInfo();
    JavaType refined = refined(head, type);
    String form = form(head, type);
    if (!form.isEmpty() || !refined.equals(type)) {
      put(parts, form, refined);
    }
    AnnotatedMember value = bean.findJsonValueAccessor();
    if (value != null) {
      put(parts, value.getName() + " alone" + form(value, value.getType()), value.getType());
    }
    for (BeanPropertyDefinition property : bean.findProperties()) {
      AnnotatedMember member = property.getPrimaryMember();
      String name = property.getName();
      if (name.startsWith("@JsonUnwrapped")) {
        continue; // Jackson 3's other name of one that is here
      }
      JavaType part = property.getPrimaryType();
      if (member != null) {
        part = refined(member, part);
        name += form(member, part);
        NameTransformer unwrapped = annotations.findUnwrappingNameTransformer(config, member);
        name += unwrapped == null ? "" : " within " + unwrapped.transform("");
        subtypes(annotations.findSubtypes(config, member), name);
      }
      put(parts, name, part);
    }
    subtypes(
        config.getSubtypeResolver().collectAndResolveSubtypesByClass(config, bean.getClassInfo()),
        "");
    if (type.getRawClass().isSealed()) {
      // Jackson 2 does not see who may implement it.
      for (Class<?> permitted : type.getRawClass().getPermittedSubclasses()) {
        parts.put(" is " + permitted.getSimpleName(), config.constructType(permitted));
      }
    }
  }

  /** The type by which Jackson writes, or reads, one that is declared. */
  private JavaType refined(Annotated annotated, JavaType type) {
    try {
      return config instanceof SerializationConfig
          ? annotations.refineSerializationType(config, annotated, type)
          : annotations.refineDeserializationType(config, annotated, type);
    } catch (JacksonException e) {
      return type;
    }
  }

  /** What is said of a property's or a type's JSON beside its type; empty for nothing. */
  private String form(Annotated annotated, JavaType type) {
    StringBuilder form = new StringBuilder();
    JsonFormat.Value format = annotations.findFormat(config, annotated);
    form.append(JsonShape.name(format));
    if (format != null && format.hasShape()) {
      form.append(order(type));
    }
    JsonTypeInfo.Value info = annotations.findPolymorphicTypeInfo(config, annotated);
    if (info != null) {
      form.append(" by ").append(info.getIdType()).append(info.getInclusionType());
      form.append(info.getPropertyName());
    }
    for (Object by :
        Arrays.asList(
            annotations.findSerializer(config, annotated),
            annotations.findDeserializer(config, annotated),
            annotations.findKeySerializer(config, annotated),
            annotations.findKeyDeserializer(config, annotated),
            annotations.findContentSerializer(config, annotated),
            annotations.findContentDeserializer(config, annotated),
            annotations.findSerializationConverter(config, annotated),
            annotations.findDeserializationConverter(config, annotated))) {
      if (by != null) {
        form.append(" by ").append((by instanceof Class<?> c ? c : by.getClass()).getSimpleName());
      }
    }
    return form.toString();
  }

  /**
   * The order of what a shape may write without names: an array of properties, an enum's number.
   */
  private List<String> order(JavaType type) {
    JavaType content = type;
    while (content.getContentType() != null) {
      content = content.getContentType();
    }
    if (content.isEnumType()) {
      return constants(content.getRawClass()).toList();
    }
    return content.isPrimitive() || isLeaf(content.getRawClass())
        ? List.of()
        : JsonMappers.bean(config, content).findProperties().stream()
            .map(BeanPropertyDefinition::getName)
            .toList();
  }

  private void subtypes(@Nullable Collection<NamedType> subtypes, String property) {
    if (subtypes != null) {
      for (NamedType subtype : subtypes) {
        String name = subtype.hasName() ? subtype.getName() : subtype.getType().getSimpleName();
        parts.put(property + " is " + name, config.constructType(subtype.getType()));
      }
    }
  }
}
