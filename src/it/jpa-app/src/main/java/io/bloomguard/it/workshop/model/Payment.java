package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import java.util.UUID;

/** Money for a repair, under an id of its own making. */
@Entity
@BloomKey(filter = "payments")
@Inheritance(strategy = InheritanceType.SINGLE_TABLE)
public abstract class Payment {

  @Id
  @GeneratedValue(strategy = GenerationType.UUID)
  private UUID id;

  @ManyToOne(fetch = FetchType.LAZY)
  private Repair repair;

  private int cents;

  protected Payment() {}

  protected Payment(Repair repair, int cents) {
    this.repair = repair;
    this.cents = cents;
  }

  public UUID getId() {
    return id;
  }

  public Repair getRepair() {
    return repair;
  }

  public int getCents() {
    return cents;
  }
}
