package io.bloomguard.it.workshop;

import java.util.List;

/** The filters of the application. */
final class Filters {

  static final List<String> NAMES =
      List.of(
          "customers",
          "customer-emails",
          "mechanics",
          "bikes",
          "frames",
          "repairs",
          "parts",
          "stocked-parts",
          "suppliers",
          "payments");

  private Filters() {}
}
