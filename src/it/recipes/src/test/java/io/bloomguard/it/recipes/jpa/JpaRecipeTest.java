package io.bloomguard.it.recipes.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.recipes.Connections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "spring.config.name=jpa",
      "bloomguard.filters.owners.warm-up.mode=blocking",
      "bloomguard.filters.owners.warm-up.min-keys=0",
      "bloomguard.filters.owners.verify.first=0",
      "bloomguard.filters.owners.verify.sample=0"
    })
@Import(Connections.class)
class JpaRecipeTest {

  @Autowired private OwnerRepository owners;
  @Autowired private Connections connections;

  @Test
  void anAbsentKeyIsRejectedWithoutAQuery() {
    int before = connections.taken();
    assertThat(owners.findById(999_999L)).isEmpty();
    assertThat(connections.taken()).isEqualTo(before);
  }

  @Test
  void aKeyThatIsWrittenIsFound() {
    Owner jean = owners.save(new Owner("Jean"));
    List<Owner> both = owners.saveAll(List.of(new Owner("Betty"), new Owner("Peter")));
    assertThat(owners.findById(jean.getId())).map(Owner::getName).hasValue("Jean");
    assertThat(both).allSatisfy(owner -> assertThat(owners.findById(owner.getId())).isPresent());
  }
}
