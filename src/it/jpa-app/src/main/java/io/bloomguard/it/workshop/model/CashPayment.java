package io.bloomguard.it.workshop.model;

import jakarta.persistence.Entity;

/** Notes and coins. */
@Entity
public class CashPayment extends Payment {

  protected CashPayment() {}

  public CashPayment(Repair repair, int cents) {
    super(repair, cents);
  }
}
