package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.Missing;
import io.bloomguard.autoconfigure.internal.properties.PerSubjectProperties;
import io.bloomguard.autoconfigure.internal.properties.SettingRules;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import io.bloomguard.autoconfigure.internal.wiring.OwnSettings;
import io.bloomguard.classic.internal.subject.SubjectGenerations;
import io.bloomguard.classic.internal.subject.SubjectSettings;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.util.Objects;
import org.springframework.util.unit.DataSize;

/** Filters by subject, in the application's Redis. */
record SubjectBackend(ApplicationRedis redis, OwnSettings settings) implements FilterBackend {

  /** A subject's filter is read and written by scripts, and made by an add. */
  private static final DataSize LARGEST = DataSize.ofMegabytes(16);

  @Override
  public String name() {
    return Backend.REDIS + ", per-subject";
  }

  @Override
  public String rules() {
    return SettingRules.table(SubjectBackend.class, "subject.rules");
  }

  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    String prefix = "bloomguard.filters." + filter + ".per-subject";
    FilterShape subject = ApplicationRedis.sized(sized);
    long bytes = SubjectSettings.bytesOfSubject(subject);
    if (bytes > LARGEST.toBytes()) {
      throw new StartRefusedException(
          "%s is set, but the filter of one subject would take %s bytes, and may take at most %s"
              .formatted(prefix, bytes, LARGEST.toBytes()),
          "Set expected-insertions to the keys of one subject, such as 1000.");
    }
    DataSize most = perSubject(settings.of(filter)).maxBytes();
    if (most.toBytes() < bytes) {
      throw new StartRefusedException(
          "%s.max-bytes is %s, but must have room for a subject of %s bytes"
              .formatted(prefix, most, bytes),
          "Raise it, or set expected-insertions to the keys of one subject, such as 1000.");
    }
    return subject;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    RedisConnections to = redis.connections();
    HashSecret secret = redis.secret(order.filter());
    PerSubjectProperties perSubject = perSubject(settings.of(order.filter()));
    return new SubjectGenerations(
        new SubjectSettings(
            order.filter(),
            order.shape(),
            order.hash(),
            order.folding(),
            redis.keyPrefix(),
            perSubject.ttl(),
            perSubject.maxSubjects(),
            perSubject.maxBytes().toBytes(),
            perSubject.missing() == Missing.ABSENT,
            order.journalRetention(),
            settings.journal(order)),
        to,
        secret,
        SubjectGenerations.GRACE);
  }

  private static PerSubjectProperties perSubject(FilterProperties properties) {
    return Objects.requireNonNull(properties.perSubject());
  }
}
