package io.bloomguard.autoconfigure;

import io.bloomguard.aop.MappedStatements;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.statements.MyBatisStatements;
import io.bloomguard.aop.internal.statements.OwnCalls;
import io.bloomguard.aop.internal.statements.UnguardedWrites;
import io.bloomguard.aop.internal.verify.GuardProxyRegistrar;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.AnswerType;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.ReadSessions;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import io.bloomguard.transaction.internal.SpringTransactions;
import io.bloomguard.web.internal.HttpAnswers;
import io.bloomguard.web.internal.ModelAndViewAnswers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.ibatis.session.SqlSessionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Proxies for annotated methods. */
@Configuration(proxyBeanMethods = false)
@Import(GuardProxyRegistrar.class)
class GuardedMethodsConfiguration {

  /** Static and lazy about the guards: advisors are made before most other beans. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static GuardedMethods bloomguardMethods(
      ObjectProvider<EntryGuards> guards,
      ObjectProvider<Transactions> transactions,
      ObjectProvider<ReadSessions> sessions,
      OwnedValues owned,
      ObjectProvider<AnswerType<?>> answers) {
    return new GuardedMethods(
        guards::getObject,
        transactions.getIfAvailable(() -> Transactions.NONE).reading(sessions.stream().toList()),
        owned,
        new Findings(SingletonSupplier.of(() -> all(answers))));
  }

  /** Those of the application, and then those of Spring's web frameworks. */
  private static List<AnswerType<?>> all(ObjectProvider<AnswerType<?>> answers) {
    List<AnswerType<?>> all = new ArrayList<>(answers.orderedStream().toList());
    if (ClassUtils.isPresent(BloomguardRuntimeHints.HTTP, null)) {
      all.addAll(HttpAnswers.all());
    }
    if (ClassUtils.isPresent(BloomguardRuntimeHints.PAGE, null)) {
      all.add(ModelAndViewAnswers.pages());
    }
    return all;
  }

  /** Static and lazy: mappers are watched from before most beans are made. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RowGuards bloomguardRowGuards(
      ObjectProvider<EntryGuards> guards,
      ObjectProvider<Transactions> transactions,
      ObjectProvider<ReadSessions> sessions,
      ObjectProvider<BloomguardProperties> properties) {
    return new RowGuards(
        guards::getObject,
        SingletonSupplier.of(() -> transactions.getObject().reading(sessions.stream().toList())),
        GatheredWrites.MAX_KEYS,
        filter -> properties.getObject().scopeColumn(filter));
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static UnguardedWrites bloomguardUnguardedWrites(
      BloomguardProperties properties,
      ObjectProvider<MappedStatements> statements,
      ConfigurableApplicationContext context) {
    Function<String, Optional<SourceProperties>> source =
        filter ->
            Optional.ofNullable(properties.filters().get(filter)).map(FilterProperties::source);
    return new UnguardedWrites(
        properties.unguardedWrites(),
        statements.getIfAvailable(() -> MappedStatements.NONE),
        filter -> source.apply(filter).map(SourceProperties::query).orElse(null),
        new OwnCalls(() -> packages(context), classLoader(context)),
        filter -> source.apply(filter).map(SourceProperties::changes).isPresent());
  }

  private static List<String> packages(ConfigurableApplicationContext context) {
    return AutoConfigurationPackages.has(context.getBeanFactory())
        ? AutoConfigurationPackages.get(context.getBeanFactory())
        : List.of();
  }

  private static ClassLoader classLoader(ConfigurableApplicationContext context) {
    ClassLoader loader = context.getClassLoader();
    return loader == null ? GuardedMethodsConfiguration.class.getClassLoader() : loader;
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(SqlSessionFactory.class)
  static class MyBatisConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(MappedStatements.class)
    static MyBatisStatements bloomguardStatements(ObjectProvider<SqlSessionFactory> factories) {
      return new MyBatisStatements(
          () -> factories.stream().map(SqlSessionFactory::getConfiguration).toList());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = "org.springframework.transaction.support.TransactionSynchronizationManager")
  static class SpringTransactionsConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(Transactions.class)
    static SpringTransactions bloomguardTransactions() {
      return new SpringTransactions();
    }
  }
}
