package io.bloomguard.autoconfigure.internal.wiring;

import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Lettuce connection factory that Spring Boot would make of {@code spring.data.redis}, for an
 * application whose own factory is of another driver.
 *
 * <p>Boot's auto-configuration makes it, in a context of its own, which knows of the application
 * what has a say in it: the connection details, the settings and the customizers. So TLS, Sentinel,
 * clusters, credentials and client options are as Boot has them.
 */
final class BootConnectionFactory implements AutoCloseable {

  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();

  /**
   * Makes it, and connects to nothing.
   *
   * @param dependant the bean that is to be destroyed before those that are shared here
   */
  BootConnectionFactory(
      ConfigurableListableBeanFactory application,
      ConfigurableEnvironment environment,
      String dependant) {
    context.setEnvironment(withLettuce(environment));
    context.setClassLoader(application.getBeanClassLoader());
    context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
    for (Class<?> type : BootRedis.SHARED) {
      for (String name : application.getBeanNamesForType(type)) {
        context.getBeanFactory().registerSingleton(name, application.getBean(name));
        application.registerDependentBean(name, dependant);
      }
    }
    context.register(BootRedis.AUTO_CONFIGURATION);
    context.refresh();
  }

  private static ConfigurableEnvironment withLettuce(ConfigurableEnvironment application) {
    StandardEnvironment environment = new StandardEnvironment();
    MutablePropertySources sources = environment.getPropertySources();
    sources.forEach(source -> sources.remove(source.getName()));
    sources.addLast(
        new MapPropertySource("bloomguard", Map.of("spring.data.redis.client-type", "lettuce")));
    application.getPropertySources().stream()
        .filter(
            source -> !ConfigurationPropertySources.isAttachedConfigurationPropertySource(source))
        .forEach(sources::addLast);
    ConfigurationPropertySources.attach(environment);
    return environment;
  }

  LettuceConnectionFactory get() {
    return context.getBean(LettuceConnectionFactory.class);
  }

  @Override
  public void close() {
    context.close();
  }
}
