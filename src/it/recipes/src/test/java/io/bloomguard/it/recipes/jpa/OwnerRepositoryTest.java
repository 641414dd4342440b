package io.bloomguard.it.recipes.jpa;

import static io.bloomguard.test.BloomguardAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.test.AutoConfigureBloomguard;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.test.context.TestPropertySource;

@TestPropertySource(properties = "spring.config.name=jpa")
// tag::test[]
@DataJpaTest
@AutoConfigureBloomguard
class OwnerRepositoryTest {

  @Autowired private OwnerRepository owners;
  @Autowired private BloomGuards guards;

  @Test
  void savingAddsTheKey() {
    assertThat(guards).rejects("owners", 999_999);
    Owner owner = owners.saveAndFlush(new Owner("Jean"));
    assertThat(guards).has("owners", owner.getId());
    assertThat(owners.findById(owner.getId())).isPresent();
  }
}
// end::test[]
