package io.bloomguard.data.internal;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.data.internal.AggregateKey.Columns;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.FilterRefusal;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/** The aggregates of one mapping context that have a {@code @BloomKey}. */
final class KeyedAggregates {

  private static final RepeatableContainers REPEATED =
      RepeatableContainers.of(BloomKey.class, BloomKey.List.class);

  private final RelationalMappingContext context;
  private final Function<String, @Nullable String> scopes;
  private final Columns columns;
  private final Map<Class<?>, Keyed> known = new ConcurrentHashMap<>();

  /**
   * @param scopes the column of the scope of a filter's keys, null for none
   * @param columns the forms of values in columns
   */
  KeyedAggregates(
      RelationalMappingContext context,
      Function<String, @Nullable String> scopes,
      Columns columns) {
    this.context = context;
    this.scopes = scopes;
    this.columns = columns;
  }

  /**
   * A root's class and its keys.
   *
   * @param keys empty if no filter holds its keys
   */
  record Keyed(RelationalPersistentEntity<?> entity, List<AggregateKey> keys) {

    /** Whether the annotations of the root are read from {@code type}. */
    boolean isOf(Class<?> type) {
      return type.isAnnotation()
          ? MergedAnnotations.from(entity.getType(), SearchStrategy.TYPE_HIERARCHY)
              .isPresent(annotation(type))
          : type.isAssignableFrom(entity.getType());
    }

    private static Class<? extends Annotation> annotation(Class<?> type) {
      return type.asSubclass(Annotation.class);
    }

    /** Whether a part of a key is the id. */
    boolean takesId() {
      return keys.stream().anyMatch(AggregateKey::takesId);
    }

    /** Whether a key may change while the row lives. */
    boolean mayChange() {
      return keys.stream().anyMatch(key -> !key.isId());
    }
  }

  /** The keys of a class; null if it has none. */
  @Nullable Keyed of(Class<?> type) {
    Keyed keyed =
        known.computeIfAbsent(type, each -> compile(context.getRequiredPersistentEntity(each)));
    return keyed.keys().isEmpty() ? null : keyed;
  }

  /**
   * Compiles the keys of every class that the context knows.
   *
   * @throws io.bloomguard.guard.EntityKeyException for the first annotation that cannot be applied
   */
  List<Keyed> all() {
    List<Keyed> all = new ArrayList<>();
    for (RelationalPersistentEntity<?> entity : context.getPersistentEntities()) {
      Keyed keyed = of(entity.getType());
      if (keyed != null) {
        requireRoot(entity);
        all.add(keyed);
      }
    }
    return all;
  }

  /**
   * Compiles the keys of all aggregates.
   *
   * @throws io.bloomguard.guard.EntityKeyException for the first that cannot be applied
   */
  void verify(EntryGuards guards) {
    for (Keyed keyed : all()) {
      for (AggregateKey key : keyed.keys()) {
        FilterRefusal refusal =
            FilterRefusal.of(guards, key.filter(), key.describe(keyed.entity(), columns));
        if (refusal != null) {
          throw AggregateKey.refusal(keyed.entity(), refusal.problem(), refusal.action());
        }
      }
    }
  }

  /** Whether the annotations that {@code type} declares are those of an aggregate's root. */
  boolean maps(Class<?> type) {
    return all().stream().anyMatch(keyed -> keyed.isOf(type));
  }

  /** The key of a root; null if it has none yet. */
  @Nullable Object keyOf(Keyed keyed, AggregateKey key, Object root) {
    return key.of(keyed.entity(), root, columns);
  }

  /** The key that is a root's whole id. */
  @Nullable Object keyOfId(AggregateKey key, Object id) {
    return key.ofId(id, columns);
  }

  /**
   * The refusal of a save that tells its key too late.
   *
   * @param keyed the aggregate whose id the database will generate
   */
  static IllegalStateException drawnAlone(Keyed keyed) {
    return new IllegalStateException(
        "The database draws the id of "
            + keyed.entity().getType().getName()
            + ", so its key is known only once the row is written, and without a transaction it is"
            + " visible by then. Save it within a transaction");
  }

  /** Refuses a key that is not of a root: Spring Data reports writes of the root only. */
  private void requireRoot(RelationalPersistentEntity<?> part) {
    for (RelationalPersistentEntity<?> owner : context.getPersistentEntities()) {
      for (RelationalPersistentProperty property : owner) {
        if (property.isEntity() && property.getActualType() == part.getType()) {
          throw AggregateKey.refusal(
              part,
              "is not applied, since it is a part of the aggregate " + owner.getType().getName(),
              property.isEmbedded()
                  ? "Name its attribute on that: @BloomKey(attribute = \""
                      + property.getName()
                      + "...\")"
                  : "Use @BloomPut and @BloomEvict on the methods that write it");
        }
      }
    }
  }

  private Keyed compile(RelationalPersistentEntity<?> entity) {
    Set<AggregateKey> keys = new LinkedHashSet<>();
    annotations(entity.getType())
        .forEach(
            key ->
                keys.add(AggregateKey.of(context, entity, key.filter(), key.attribute(), scopes)));
    for (RelationalPersistentProperty property : entity) {
      Stream.of(property.getField(), property.getGetter())
          .flatMap(element -> element == null ? Stream.empty() : annotations(element))
          .forEach(key -> keys.add(attribute(entity, property, key)));
    }
    return new Keyed(entity, List.copyOf(keys));
  }

  private AggregateKey attribute(
      RelationalPersistentEntity<?> entity, RelationalPersistentProperty property, BloomKey key) {
    if (!key.attribute().isEmpty()) {
      throw AggregateKey.refusal(
          entity,
          "names the attribute '"
              + key.attribute()
              + "' while it stands on '"
              + property.getName()
              + "'",
          "Leave attribute out there, or move the annotation to the class");
    }
    return AggregateKey.of(context, entity, key.filter(), property.getName(), scopes);
  }

  private static Stream<BloomKey> annotations(AnnotatedElement element) {
    return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY, REPEATED).stream(
            BloomKey.class)
        .map(annotation -> annotation.synthesize());
  }
}
