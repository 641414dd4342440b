package io.bloomguard.data.internal;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;

/** The upsert of an aggregate, which Spring Data has from 4.1 on. */
final class Upsert {

  private Upsert() {}

  static void with(JdbcAggregateOperations template, Object aggregate) {
    assumeTrue(
        Arrays.stream(JdbcAggregateOperations.class.getMethods())
            .anyMatch(method -> method.getName().equals("upsert")),
        "Spring Data has no upsert before 4.1");
    template.upsert(aggregate);
  }
}
