package io.bloomguard.autoconfigure;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyDigest;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.guard.CachePlan;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.redis.LateGenerations;
import io.bloomguard.redis.LateStore;
import io.bloomguard.redis.LateValueCache;
import io.bloomguard.redis.RedisFilter;
import io.bloomguard.redis.RedisSecret;
import io.bloomguard.redis.RedisValueCache;
import io.bloomguard.redis.SharedGenerations;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.subject.HashedSubjects;
import io.bloomguard.redis.subject.SubjectGenerations;
import io.bloomguard.redis.subject.SubjectSettings;
import io.bloomguard.redis.window.WindowFilter;
import io.bloomguard.redis.window.WindowGenerations;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Everything in Redis. Connects when the first filter or cache is made, so never without need. */
final class RedisBackend implements FilterBackend, AutoCloseable {

  private static final Duration FIRST_CONNECTION = Duration.ofSeconds(5);

  private final RedisConnectionChoice choice;
  private final BloomguardProperties.Redis settings;
  private final @Nullable RedisSecret configured;
  private final List<HashSecret> otherSecrets;
  private final ReentrantLock opening = new ReentrantLock();
  private @Nullable RedisConnections connections;
  private @Nullable SharedSecret shared;

  RedisBackend(
      RedisConnectionChoice choice,
      BloomguardProperties.Redis settings,
      @Nullable HashSecret configured,
      List<HashSecret> otherSecrets) {
    this.otherSecrets = otherSecrets;
    this.choice = choice;
    this.settings = settings;
    this.configured = configured == null ? null : RedisSecret.configured(configured);
  }

  @Override
  public Backend backend() {
    return Backend.REDIS;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    String filter = order.filter();
    FilterShape shape = order.shape();
    if (!shape.layout().inBlocks()) {
      throw new InvalidBloomguardSettingException(
          "Filter '"
              + filter
              + "' has the layout '"
              + shape.layout().name().toLowerCase(Locale.ROOT)
              + "', which the backend 'redis' does not have; it has: blocked, counting",
          "Use layout 'blocked', or backend 'local'.");
    }
    return generations(order, settings.keyPrefix());
  }

  /**
   * The generations of a filter.
   *
   * @param keyPrefix what its keys begin with
   */
  FilterStore generations(StoreOrder order, String keyPrefix) {
    String filter = order.filter();
    FilterShape shape = order.shape();
    RedisConnections to = connections();
    PerSubjectProperties perSubject = order.properties().perSubject();
    if (perSubject != null) {
      return subjects(order, perSubject, to);
    }
    WindowProperties window = order.properties().window();
    if (window != null) {
      Supplier<@Nullable WindowGenerations> store =
          whenSecret(secret -> window(order, window, secret, to));
      WindowGenerations ready = store.get();
      return ready == null ? new LateStore<>(filter, shape, store) : ready;
    }
    Supplier<@Nullable SharedGenerations> store =
        whenSecret(
            secret ->
                new SharedGenerations(
                    new RedisFilter(
                        filter,
                        shape,
                        to,
                        keyPrefix,
                        order.journalRetention(),
                        order.journalMemory(),
                        order.replica()),
                    secret,
                    otherSecrets,
                    order.properties().hashOrDefault(),
                    order.folding()));
    SharedGenerations ready = store.get();
    return ready == null ? new LateGenerations(filter, shape, store) : ready;
  }

  private FilterStore subjects(
      StoreOrder order, PerSubjectProperties perSubject, RedisConnections to) {
    SubjectSettings subjects =
        new SubjectSettings(
            order.filter(),
            order.shape(),
            order.properties().hashOrDefault(),
            order.folding(),
            settings.keyPrefix(),
            perSubject.ttl(),
            perSubject.maxSubjects(),
            perSubject.maxBytes().toBytes(),
            perSubject.missing() == Missing.ABSENT,
            order.journalRetention(),
            order.journalMemory());
    return new SubjectGenerations(
        subjects,
        to,
        whenSecret(secret -> new HashedSubjects(subjects, to, secret.value(), secret::keep)));
  }

  private WindowGenerations window(
      StoreOrder order, WindowProperties window, RedisSecret secret, RedisConnections to) {
    KeyHasher hasher = order.properties().hashOrDefault().hasher(secret.value());
    return new WindowGenerations(
        new WindowFilter(
            order.filter(),
            window.generation(order.shape()),
            window.window(),
            order.folding().over(hasher),
            to,
            settings.keyPrefix(),
            order.journalRetention(),
            order.properties().rotateAtFill()));
  }

  @Override
  public ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec) {
    ValueCodec json = Objects.requireNonNull(codec, "values in Redis are bytes");
    RedisConnections to = connections();
    Supplier<@Nullable ValueCache> cache =
        whenSecret(
            secret ->
                new RedisValueCache(
                    name,
                    plan.settings(),
                    new KeyDigest(secret.value()),
                    to,
                    settings.keyPrefix(),
                    json));
    ValueCache ready = cache.get();
    return ready == null ? new LateValueCache(cache) : ready;
  }

  /** The connections to the application's Redis, of all backends there. */
  RedisConnections connections() {
    opening.lock();
    try {
      if (connections == null) {
        connections = new RedisConnections(choice.choose(), settings.commandTimeout());
        connections.tryToConnect();
      }
      return connections;
    } finally {
      opening.unlock();
    }
  }

  <T> Supplier<@Nullable T> whenSecret(Function<RedisSecret, T> make) {
    return new OnceThere<>(configured == null ? shared() : () -> configured, make);
  }

  private SharedSecret shared() {
    RedisConnections to = connections();
    opening.lock();
    try {
      if (shared == null) {
        shared =
            new SharedSecret(() -> RedisSecret.shared(to, settings.keyPrefix(), FIRST_CONNECTION));
      }
      return shared;
    } finally {
      opening.unlock();
    }
  }

  @Override
  public void close() {
    opening.lock();
    try {
      if (shared != null) {
        shared.close();
      }
      if (connections != null) {
        connections.close();
      }
      choice.close();
    } finally {
      opening.unlock();
    }
  }

  /** Makes a thing once, as soon as there is a secret for it. */
  private static final class OnceThere<T> implements Supplier<@Nullable T> {

    private final Supplier<@Nullable RedisSecret> secret;
    private final Function<RedisSecret, T> make;
    private volatile @Nullable T made;

    OnceThere(Supplier<@Nullable RedisSecret> secret, Function<RedisSecret, T> make) {
      this.secret = secret;
      this.make = make;
    }

    @Override
    public @Nullable T get() {
      T there = made;
      if (there != null) {
        return there;
      }
      RedisSecret known = secret.get();
      return known == null ? null : first(known);
    }

    private synchronized T first(RedisSecret known) {
      T there = made;
      if (there == null) {
        there = make.apply(known);
        made = there;
      }
      return there;
    }
  }
}
