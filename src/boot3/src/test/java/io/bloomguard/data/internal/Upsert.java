package io.bloomguard.data.internal;

import static org.junit.jupiter.api.Assumptions.abort;

import org.springframework.data.jdbc.core.JdbcAggregateOperations;

/** The upsert of an aggregate, which Spring Data has from 4.1 on. */
final class Upsert {

  private Upsert() {}

  static void with(JdbcAggregateOperations template, Object aggregate) {
    abort("Spring Data 3 has no upsert");
  }
}
