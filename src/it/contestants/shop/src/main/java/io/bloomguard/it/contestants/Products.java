package io.bloomguard.it.contestants;

/** The products as a contestant keeps them: the one interface that all of them implement. */
public interface Products {

  /** The product of that id, or null. */
  Product find(String id);

  /** Inserts a product that may have been asked for before it was there. */
  void insert(Product product);
}
