package io.bloomguard.it.workshop.model;

import jakarta.persistence.Entity;

/** A card, of which the last digits are kept. */
@Entity
public class CardPayment extends Payment {

  private String lastDigits;

  protected CardPayment() {}

  public CardPayment(Repair repair, int cents, String lastDigits) {
    super(repair, cents);
    this.lastDigits = lastDigits;
  }

  public String getLastDigits() {
    return lastDigits;
  }
}
