package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Version;
import jakarta.validation.constraints.NotBlank;
import java.util.ArrayList;
import java.util.List;

/** An order to repair a bike, with its lines and what was paid for it. */
@Entity
@BloomKey(filter = "repairs")
public class Repair extends Counted {

  /** How far it has come. */
  public enum State {
    OPEN,
    DONE,
    PAID
  }

  @Version private int version;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private Bike bike;

  @ManyToOne(fetch = FetchType.LAZY)
  private Mechanic mechanic;

  @NotBlank private String complaint;

  @Enumerated(EnumType.STRING)
  private State state = State.OPEN;

  @OneToMany(cascade = CascadeType.ALL, orphanRemoval = true)
  @JoinColumn(name = "repair_id")
  @OrderBy("id")
  private List<RepairLine> lines = new ArrayList<>();

  @OneToMany(mappedBy = "repair", cascade = CascadeType.PERSIST)
  private List<Payment> payments = new ArrayList<>();

  protected Repair() {}

  public Repair(Bike bike, String complaint) {
    this.bike = bike;
    this.complaint = complaint;
  }

  public int getVersion() {
    return version;
  }

  public Bike getBike() {
    return bike;
  }

  public Mechanic getMechanic() {
    return mechanic;
  }

  public void setMechanic(Mechanic mechanic) {
    this.mechanic = mechanic;
  }

  public String getComplaint() {
    return complaint;
  }

  public void setComplaint(String complaint) {
    this.complaint = complaint;
  }

  public State getState() {
    return state;
  }

  public void setState(State state) {
    this.state = state;
  }

  public List<RepairLine> getLines() {
    return lines;
  }

  public List<Payment> getPayments() {
    return payments;
  }

  public int total() {
    return lines.stream().mapToInt(RepairLine::cents).sum();
  }

  public int paid() {
    return payments.stream().mapToInt(Payment::getCents).sum();
  }
}
