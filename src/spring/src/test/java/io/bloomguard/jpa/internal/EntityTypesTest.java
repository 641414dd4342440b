package io.bloomguard.jpa.internal;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntityTypesTest {

  @MappedSuperclass
  static class Base {
    @Id long id;
  }

  @Entity
  static class Owner extends Base {}

  /** As Hibernate makes one. */
  static class OwnerProxy extends Owner {}

  /** Mapped in a file, but for what it inherits. */
  static class Visit extends Base {}

  @Embeddable
  static class Address {}

  @Embeddable
  record Money(long cents) {}

  private final EntityTypes types = new EntityTypes(List::of);

  @Test
  void entitiesAndWhatTheyAreMadeOfAreOwned() {
    assertThat(types.reason(Owner.class)).isEqualTo("is a JPA entity");
    assertThat(types.reason(Address.class)).isEqualTo("is a JPA entity");
    assertThat(types.reason(Base.class)).isEqualTo("is a JPA entity");
    assertThat(types.reason(OwnerProxy.class)).isEqualTo("extends a JPA entity");
    assertThat(types.reason(Visit.class)).isEqualTo("extends a JPA entity");
  }

  @Test
  void plainValuesAreNot() {
    assertThat(types.reason(Money.class)).as("a record cannot change").isNull();
    assertThat(types.reason(String.class)).isNull();
    assertThat(types.reason(Object.class)).isNull();
    assertThat(types.reason(Runnable.class)).isNull();
  }
}
