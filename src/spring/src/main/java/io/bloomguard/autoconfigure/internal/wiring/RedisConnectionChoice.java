package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisSession;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Where Bloomguard's connections to Redis go: where the application's Lettuce connection factory
 * goes, or, where its factory is of another driver, where {@code spring.data.redis} says.
 */
final class RedisConnectionChoice implements AutoCloseable {

  private static final String PROPERTY = "bloomguard.redis.connection-factory";

  /** An application's own commands, such as those of Boot's health check, rarely want more. */
  private static final Duration LONG_TIMEOUT = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(RedisConnectionChoice.class);

  private final @Nullable String named;
  private final ConfigurableListableBeanFactory beans;
  private final ConfigurableEnvironment environment;
  private final String dependant;
  private @Nullable BootConnectionFactory ofBoot;

  /** The application's factory, if it is of another driver. */
  private @Nullable RedisConnectionFactory other;

  /**
   * @param named the bean's name, null for the one that there is
   * @param dependant the bean whose connections these are: closing connections after the threads
   *     they share with a factory are gone would never end
   */
  RedisConnectionChoice(
      @Nullable String named,
      ConfigurableListableBeanFactory beans,
      ConfigurableEnvironment environment,
      String dependant) {
    this.named = named;
    this.beans = beans;
    this.environment = environment;
    this.dependant = dependant;
  }

  /** The factory whose settings the connections take over. Called once. */
  LettuceConnectionFactory choose() {
    LettuceConnectionFactory chosen = find();
    Duration timeout = chosen.getClientConfiguration().getCommandTimeout();
    if (timeout.compareTo(LONG_TIMEOUT) >= 0) {
      log.warn(
          "The application's commands to Redis wait up to {} s, and /actuator/health with them"
              + " while Redis is away. Set spring.data.redis.timeout, such as to 1s; Bloomguard's"
              + " own time limits are others",
          timeout.toSeconds());
    }
    return chosen;
  }

  private LettuceConnectionFactory find() {
    for (String name : beans.getBeanNamesForType(RedisConnectionFactory.class)) {
      beans.registerDependentBean(name, dependant);
    }
    if (named != null) {
      return named(named);
    }
    RedisConnectionFactory application =
        ChosenBean.only(
            beans,
            RedisConnectionFactory.class,
            "The backend 'redis' needs one Redis connection factory",
            "Set " + PROPERTY + " to one of these names, or mark");
    return behind(application) instanceof LettuceConnectionFactory lettuce
        ? lettuce
        : besides(application);
  }

  /** What Spring's proxies stand for: one that extends a factory has no settings of its own. */
  private static Object behind(Object bean) {
    try {
      Object target = bean instanceof Advised proxy ? proxy.getTargetSource().getTarget() : null;
      return target == null ? bean : behind(target);
    } catch (Exception e) {
      throw new IllegalStateException(
          "The Redis connection factory behind the proxy %s is not to be had"
              .formatted(bean.getClass().getName()),
          e);
    }
  }

  /**
   * Refuses connections that lead to another Redis than those of another driver's factory, as far
   * as both servers answer at once and tell the history of their data set: a master and its
   * replicas have one.
   */
  void requireSame(RedisConnections connections) {
    RedisConnectionFactory application = other;
    RedisSession session = application == null ? null : connections.requests().session();
    if (application == null || session == null || session.server().equals(RedisSession.ANY)) {
      return;
    }
    CompletableFuture<Properties> asked =
        CompletableFuture.supplyAsync(() -> told(application), RedisConnectionChoice::apart);
    try {
      Properties theirs = asked.get(RedisConnections.CONNECT.toMillis(), TimeUnit.MILLISECONDS);
      String now = theirs.getProperty("master_replid", "");
      String before = theirs.getProperty("master_replid2", "");
      boolean inStep = theirs.getProperty("master_link_status", "up").equals("up");
      boolean same = Stream.of(now, before).anyMatch(session.server()::endsWith);
      if (inStep && !now.isEmpty() && !before.isEmpty() && !same) {
        throw new StartRefusedException(
            "The application's Redis connection factory is a "
                + application.getClass().getName()
                + ", connected to a Redis at port "
                + theirs.getProperty("tcp_port", "?")
                + ", but spring.data.redis leads Bloomguard to another one"
                + address(),
            ("Let spring.data.redis.* name the application's Redis, or declare a"
                    + " LettuceConnectionFactory and name it in %s.")
                .formatted(PROPERTY));
      }
    } catch (ExecutionException | TimeoutException e) {
      log.debug("The application's Redis did not tell its name", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String address() {
    return ofBoot == null ? "" : ", " + ofBoot.get().getHostName() + ":" + ofBoot.get().getPort();
  }

  private static void apart(Runnable asking) {
    Thread thread = new Thread(asking, "bloomguard-redis-compare");
    thread.setDaemon(true);
    thread.start();
  }

  private static Properties told(RedisConnectionFactory factory) {
    try (RedisConnection connection = factory.getConnection()) {
      return Objects.requireNonNullElseGet(connection.serverCommands().info(), Properties::new);
    }
  }

  private LettuceConnectionFactory named(String name) {
    if (beans.containsBean(name)
        && behind(beans.getBean(name)) instanceof LettuceConnectionFactory found) {
      return found;
    }
    throw ChosenBean.unknown(
        beans,
        PROPERTY,
        name,
        LettuceConnectionFactory.class,
        "Correct the name, or leave it out where there is one connection factory.");
  }

  private LettuceConnectionFactory besides(RedisConnectionFactory application) {
    other = application;
    if (NativeDetector.inNativeImage()) {
      throw new StartRefusedException(
          "The application's Redis connection factory is a "
              + application.getClass().getName()
              + ", beside which a native image cannot make one of Lettuce's",
          "Declare a LettuceConnectionFactory, and name it in " + PROPERTY + ".");
    }
    BootConnectionFactory boot = new BootConnectionFactory(beans, environment, dependant);
    ofBoot = boot;
    LettuceConnectionFactory factory = boot.get();
    log.info(
        "The application's Redis connection factory is a {}; Bloomguard opens separate Lettuce"
            + " connections to the address in spring.data.redis",
        application.getClass().getName());
    return factory;
  }

  @Override
  public void close() {
    if (ofBoot != null) {
      ofBoot.close();
    }
  }
}
