package io.bloomguard.autoconfigure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Where Bloomguard's connections to Redis go: where the application's Lettuce connection factory
 * goes, or, where its factory is of another driver, where {@code spring.data.redis} says.
 */
final class RedisConnectionChoice implements AutoCloseable {

  private static final String PROPERTY = "bloomguard.redis.connection-factory";

  private static final Logger log = LoggerFactory.getLogger(RedisConnectionChoice.class);

  private final @Nullable String named;
  private final ConfigurableListableBeanFactory beans;
  private final ConfigurableEnvironment environment;
  private final String dependant;
  private @Nullable BootConnectionFactory ofBoot;

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
    String[] names = beans.getBeanNamesForType(RedisConnectionFactory.class);
    for (String name : names) {
      beans.registerDependentBean(name, dependant);
    }
    if (named != null) {
      return named(named);
    }
    RedisConnectionFactory application =
        beans.getBeanProvider(RedisConnectionFactory.class).getIfUnique();
    if (application == null) {
      throw new InvalidBloomguardSettingException(
          "The backend 'redis' needs one Redis connection factory; this application has "
              + Arrays.toString(names),
          "Set " + PROPERTY + " to one of these names, or mark one as @Primary.");
    }
    return application instanceof LettuceConnectionFactory lettuce
        ? lettuce
        : besides(application.getClass().getName());
  }

  private LettuceConnectionFactory named(String name) {
    if (beans.containsBean(name) && beans.getBean(name) instanceof LettuceConnectionFactory found) {
      return found;
    }
    throw new InvalidBloomguardSettingException(
        PROPERTY
            + " is '"
            + name
            + "', which is no bean of type "
            + LettuceConnectionFactory.class.getName()
            + "; this application has the connection factories "
            + Arrays.toString(beans.getBeanNamesForType(RedisConnectionFactory.class)),
        "Correct the name, or leave it out where there is one connection factory.");
  }

  private LettuceConnectionFactory besides(String other) {
    if (NativeDetector.inNativeImage()) {
      throw new InvalidBloomguardSettingException(
          "The application's Redis connection factory is a "
              + other
              + ", beside which a native image cannot make one of Lettuce's",
          "Declare a LettuceConnectionFactory, and name it in " + PROPERTY + ".");
    }
    BootConnectionFactory boot = new BootConnectionFactory(beans, environment, dependant);
    ofBoot = boot;
    LettuceConnectionFactory factory = boot.get();
    log.info(
        "The application's Redis connection factory is a {}; Bloomguard opens separate Lettuce"
            + " connections to the address in spring.data.redis",
        other);
    return factory;
  }

  @Override
  public void close() {
    if (ofBoot != null) {
      ofBoot.close();
    }
  }
}
