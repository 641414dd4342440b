package io.bloomguard.it.aot;

/** Discounts behind an interface, so that a proxy may have that alone. */
public interface Discounts {

  /** The discount of an order's buyer, or null. */
  Integer of(Order order);
}
