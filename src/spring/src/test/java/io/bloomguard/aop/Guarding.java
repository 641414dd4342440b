package io.bloomguard.aop;

import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.statements.OwnCalls;
import io.bloomguard.aop.internal.statements.UnguardedWrites;
import io.bloomguard.aop.internal.verify.GuardProxyRegistrar;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.transaction.internal.SpringTransactions;
import java.util.List;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;

/** Small contexts whose annotated beans are guarded. */
public final class Guarding {

  private Guarding() {}

  /** A refreshed context with {@code beans} and guards; the caller closes it. */
  public static AnnotationConfigApplicationContext context(TestGuards guards, Class<?>... beans) {
    return context(guards, Transactions.NONE, beans);
  }

  public static AnnotationConfigApplicationContext context(
      TestGuards guards, Transactions transactions, Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    try {
      prepare(context, guards, transactions, beans).refresh();
      return context;
    } catch (RuntimeException e) {
      context.close();
      throw e;
    }
  }

  /** Registers {@code beans} and guards in a context that is to be refreshed. */
  public static AnnotationConfigApplicationContext prepare(
      AnnotationConfigApplicationContext context, TestGuards guards, Class<?>... beans) {
    return prepare(context, guards, Transactions.NONE, beans);
  }

  public static AnnotationConfigApplicationContext prepare(
      AnnotationConfigApplicationContext context,
      TestGuards guards,
      Transactions transactions,
      Class<?>... beans) {
    context.registerBean(TestGuards.class, () -> guards);
    context.registerBean(
        GuardedMethods.class,
        () -> new GuardedMethods(() -> guards, transactions, TestGuards.OWNED, Findings.PLAIN));
    if (transactions instanceof SpringTransactions spring) {
      context.registerBean(SpringTransactions.class, () -> spring);
    }
    for (Class<?> bean : beans) {
      context.register(bean);
    }
    context.register(Advisors.class);
    return context;
  }

  /** Writes that nothing is said of. */
  public static UnguardedWrites ignoredWrites() {
    return new UnguardedWrites(
        UnguardedWrites.Policy.IGNORE,
        MappedStatements.NONE,
        filter -> null,
        new OwnCalls(List::of, Guarding.class.getClassLoader()),
        filter -> false);
  }

  @Configuration(proxyBeanMethods = false)
  @Import(GuardProxyRegistrar.class)
  public static class Advisors {

    @Bean
    @Fallback
    static UnguardedWrites unguardedWrites() {
      return ignoredWrites();
    }
  }
}
