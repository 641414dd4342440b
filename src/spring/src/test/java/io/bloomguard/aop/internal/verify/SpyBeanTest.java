package io.bloomguard.aop.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.aop.internal.statements.UnguardedWrites;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.Transactions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.test.util.AopTestUtils;

/** A spy is inside of the guard and sees the calls that pass; a mock has none around it. */
@SpringJUnitConfig(SpyBeanTest.Beans.class)
@DirtiesContext(classMode = DirtiesContext.ClassMode.BEFORE_EACH_TEST_METHOD)
class SpyBeanTest {

  static class Products {
    @BloomGuarded(filter = "products", key = "#id")
    public Optional<String> find(long id) {
      return Optional.of("product " + id);
    }

    @BloomPut(filter = "products", key = "#id")
    public void save(long id) {}
  }

  static class Orders {
    @BloomGuarded(filter = "orders", key = "#id")
    public Optional<String> find(long id) {
      return Optional.of("order " + id);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import({Products.class, Orders.class, GuardProxyRegistrar.class})
  static class Beans {
    @Bean
    static TestGuards guards() {
      return new TestGuards();
    }

    @Bean
    static UnguardedWrites writes() {
      return Guarding.ignoredWrites();
    }

    @Bean
    static GuardedMethods methods(TestGuards guards) {
      return new GuardedMethods(() -> guards, Transactions.NONE, TestGuards.OWNED, Findings.PLAIN);
    }
  }

  @MockitoSpyBean Products products;
  @MockitoBean Orders orders;
  @Autowired TestGuards guards;

  @Test
  void spyDoesNotSeeWhatIsRejected() {
    assertThat(products.find(9)).isEmpty();
    verify(products, never()).find(anyLong());
  }

  @Test
  void spySeesWhatPasses() {
    products.save(7);
    assertThat(guards.keys).contains("7");
    assertThat(products.find(7)).contains("product 7");
    verify(products).find(7);
    verify(products).save(7);
  }

  @Test
  void spyIsStubbedBehindTheGuard() {
    guards.keys.add("7");
    Products spy = AopTestUtils.getUltimateTargetObject(products);
    when(spy.find(7)).thenReturn(Optional.of("stubbed"));
    assertThat(products.find(7)).contains("stubbed");
  }

  @Test
  void mockAnswersForKeysThatTheFilterWouldReject() {
    when(orders.find(9)).thenReturn(Optional.of("mocked"));
    assertThat(orders.find(9)).contains("mocked");
  }
}
