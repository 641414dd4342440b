package io.bloomguard.it.jpa;

import static io.bloomguard.test.BloomguardAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.test.AutoConfigureBloomguard;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;

/** The repository in a slice. */
class ProductRepositorySliceTest {

  private static final UUID ID = new UUID(7, 7);

  @Nested
  @DataJpaTest
  class WithoutGuards {

    @Autowired private ProductRepository products;
    @Autowired private ObjectProvider<BloomGuards> guards;

    @Test
    void annotationsDoNothing() {
      assertThat(guards.getIfAvailable()).isNull();
      products.save(new Product(ID, "seven"));
      assertThat(products.findOneById(ID)).isPresent();
    }
  }

  @Nested
  @DataJpaTest
  @AutoConfigureBloomguard
  class WithGuards {

    @Autowired private ProductRepository products;
    @Autowired private BloomGuards guards;

    @Test
    void annotationsWorkOnAFilterThatBeginsEmpty() {
      assertThat(guards).rejects("products", ID);
      assertThat(products.findOneById(ID)).isEmpty();

      products.save(new Product(ID, "seven"));

      assertThat(guards).has("products", ID);
      assertThat(products.findOneById(ID)).isPresent();
    }
  }
}
