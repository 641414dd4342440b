package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.properties.Missing;
import io.bloomguard.autoconfigure.internal.properties.PerSubjectProperties;
import io.bloomguard.autoconfigure.internal.properties.StoreKind;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import io.bloomguard.autoconfigure.internal.wiring.FilterBackend;
import io.bloomguard.autoconfigure.internal.wiring.StoreOrder;
import io.bloomguard.classic.internal.subject.SubjectGenerations;
import io.bloomguard.classic.internal.subject.SubjectSettings;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.util.Objects;
import org.springframework.util.unit.DataSize;

/** Filters by subject, in the application's Redis. */
final class SubjectBackend implements FilterBackend {

  /** A subject's filter is read and written by scripts, and made by an add. */
  private static final DataSize LARGEST = DataSize.ofMegabytes(16);

  private final ApplicationRedis redis;

  SubjectBackend(ApplicationRedis redis) {
    this.redis = redis;
  }

  @Override
  public StoreKind kind() {
    return StoreKind.SUBJECTS;
  }

  @Override
  public FilterShape shape(String filter, FilterProperties properties) {
    FilterShape shape = FilterBackend.super.shape(filter, properties);
    String prefix = "bloomguard.filters." + filter + ".per-subject";
    long bytes = SubjectSettings.bytesOfSubject(shape);
    if (bytes > LARGEST.toBytes()) {
      throw new InvalidBloomguardSettingException(
          prefix
              + " is set, but the filter of one subject would take "
              + bytes
              + " bytes, and may take at most "
              + LARGEST.toBytes(),
          "Set expected-insertions to the keys of one subject, such as 1000.");
    }
    DataSize most = perSubject(properties).maxBytes();
    if (most.toBytes() < bytes) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".max-bytes is "
              + most
              + ", but must have room for a subject of "
              + bytes
              + " bytes",
          "Raise it, or set expected-insertions to the keys of one subject, such as 1000.");
    }
    return shape;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    RedisConnections to = redis.connections();
    HashSecret secret = redis.secret(order.filter());
    PerSubjectProperties perSubject = perSubject(order.properties());
    return new SubjectGenerations(
        new SubjectSettings(
            order.filter(),
            order.shape(),
            order.properties().hashOrDefault(),
            order.folding(),
            redis.keyPrefix(),
            perSubject.ttl(),
            perSubject.maxSubjects(),
            perSubject.maxBytes().toBytes(),
            perSubject.missing() == Missing.ABSENT,
            order.journalRetention(),
            order.journalMemory()),
        to,
        secret);
  }

  private static PerSubjectProperties perSubject(FilterProperties properties) {
    return Objects.requireNonNull(properties.perSubject());
  }
}
