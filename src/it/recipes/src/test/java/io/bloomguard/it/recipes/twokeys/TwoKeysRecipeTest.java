package io.bloomguard.it.recipes.twokeys;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.recipes.Connections;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "spring.config.name=twokeys",
      "bloomguard.filters.owners.warm-up.mode=blocking",
      "bloomguard.filters.owners.warm-up.min-keys=0",
      "bloomguard.filters.owners.verify.first=0",
      "bloomguard.filters.owners.verify.sample=0",
      "bloomguard.filters.owner-names.warm-up.mode=blocking",
      "bloomguard.filters.owner-names.warm-up.min-keys=0",
      "bloomguard.filters.owner-names.verify.first=0",
      "bloomguard.filters.owner-names.verify.sample=0"
    })
@Import(Connections.class)
class TwoKeysRecipeTest {

  @Autowired private OwnerRepository owners;
  @Autowired private Connections connections;

  @Test
  void absentKeysAreRejectedWithoutAQuery() {
    int before = connections.taken();
    assertThat(owners.findById(999_999L)).isEmpty();
    assertThat(owners.findByName("none")).isEmpty();
    assertThat(connections.taken()).isEqualTo(before);
  }

  @Test
  void bothKeysOfARowAreFoundAndANewNameToo() {
    Owner owner = owners.save(new Owner("Jean"));
    assertThat(owners.findById(owner.getId())).isPresent();
    assertThat(owners.findByName("Jean")).isPresent();
    owner.setName("Jeanne");
    owners.save(owner);
    assertThat(owners.findByName("Jeanne")).isPresent();
    assertThat(owners.findByName("Jean")).isEmpty();
  }
}
