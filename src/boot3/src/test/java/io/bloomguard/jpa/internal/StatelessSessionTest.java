package io.bloomguard.jpa.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.jpa.internal.Entities.Owner;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Writes of stateless sessions, whose events Hibernate 6 gives no session. */
class StatelessSessionTest {

  @Test
  void aWriteOfAKeyedEntityIsRefusedAndLeavesNoRow() {
    try (Database database = new Database(Owner.class.getPackageName(), Map.of())) {
      assertThatThrownBy(
              () ->
                  database
                      .factory
                      .unwrap(org.hibernate.SessionFactory.class)
                      .inStatelessTransaction(session -> session.insert(new Owner("Jane"))))
          .isInstanceOf(StartRefusedException.class)
          .hasMessageContaining("stateless session of Hibernate 6")
          .hasMessageContaining("by a repository");
      long owners =
          database.get(
              em -> em.createQuery("select count(o) from Owner o", Long.class).getSingleResult());
      assertThat(owners).isZero();
    }
  }
}
