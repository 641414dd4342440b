package io.bloomguard.it.workshop.service;

/** There is no such row. */
public class NotFoundException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public NotFoundException(String message) {
    super(message);
  }
}
