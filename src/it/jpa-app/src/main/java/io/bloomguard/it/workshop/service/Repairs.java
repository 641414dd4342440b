package io.bloomguard.it.workshop.service;

import io.bloomguard.it.workshop.data.BikeRepository;
import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.data.MechanicRepository;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.RepairRepository;
import io.bloomguard.it.workshop.data.StockRepository;
import io.bloomguard.it.workshop.model.Bike;
import io.bloomguard.it.workshop.model.CardPayment;
import io.bloomguard.it.workshop.model.CashPayment;
import io.bloomguard.it.workshop.model.Customer;
import io.bloomguard.it.workshop.model.Mechanic;
import io.bloomguard.it.workshop.model.Part;
import io.bloomguard.it.workshop.model.Payment;
import io.bloomguard.it.workshop.model.Repair;
import io.bloomguard.it.workshop.model.RepairLine;
import io.bloomguard.it.workshop.model.Stock;
import io.bloomguard.it.workshop.model.StockId;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The work on bikes, from their arrival to their bill. */
@Service
@Transactional
public class Repairs {

  private static final String DEPOT = "main";

  private final CustomerRepository customers;
  private final BikeRepository bikes;
  private final RepairRepository repairs;
  private final PartRepository parts;
  private final StockRepository stock;
  private final MechanicRepository mechanics;

  public Repairs(
      CustomerRepository customers,
      BikeRepository bikes,
      RepairRepository repairs,
      PartRepository parts,
      StockRepository stock,
      MechanicRepository mechanics) {
    this.customers = customers;
    this.bikes = bikes;
    this.repairs = repairs;
    this.parts = parts;
    this.stock = stock;
    this.mechanics = mechanics;
  }

  /** Takes a bike in; it is stored by the cascade from its owner. */
  public Bike bring(long customer, String frameNumber, String model) {
    Customer owner = customers.findById(customer).orElseThrow(() -> missing("customer"));
    Bike bike = owner.bring(new Bike(frameNumber, model));
    customers.flush();
    return bike;
  }

  /** Gives a bike back for good; its row goes as an orphan. */
  public void takeAway(String frameNumber) {
    Bike bike = bikes.findByFrameNumber(frameNumber).orElseThrow(() -> missing("bike"));
    bike.getOwner().takeAway(bike);
  }

  /** Mends a mistyped frame number: nothing but a change of the loaded entity. */
  public void correctFrameNumber(String wrong, String right) {
    bikes.findByFrameNumber(wrong).orElseThrow(() -> missing("bike")).setFrameNumber(right);
  }

  public Repair open(String frameNumber, String complaint) {
    Bike bike = bikes.findByFrameNumber(frameNumber).orElseThrow(() -> missing("bike"));
    return repairs.save(new Repair(bike, complaint));
  }

  public void assign(long repair, long mechanic) {
    Mechanic worker = mechanics.findById(mechanic).orElseThrow(() -> missing("mechanic"));
    repair(repair).setMechanic(worker);
  }

  /** Takes parts from the depot. */
  public void use(long repair, String number, int quantity) {
    Part part = parts.findById(number).orElseThrow(() -> missing("part"));
    Stock stored =
        stock.findById(new StockId(DEPOT, number)).orElseThrow(() -> missing("stock of the part"));
    if (stored.getQuantity() < quantity) {
      throw new IllegalStateException("There are not enough of this part");
    }
    stored.setQuantity(stored.getQuantity() - quantity);
    repair(repair).getLines().add(new RepairLine(part, quantity));
  }

  public void removeLine(long repair, int index) {
    repair(repair).getLines().remove(index);
  }

  public Payment pay(long repair, int cents, @Nullable String cardNumber) {
    Repair paid = repair(repair);
    Payment payment =
        cardNumber == null
            ? new CashPayment(paid, cents)
            : new CardPayment(paid, cents, cardNumber.substring(cardNumber.length() - 4));
    paid.getPayments().add(payment);
    if (paid.paid() >= paid.total()) {
      paid.setState(Repair.State.PAID);
    }
    repairs.flush();
    return payment;
  }

  @Transactional(readOnly = true)
  public int due(long repair) {
    Repair found = repair(repair);
    return found.total() - found.paid();
  }

  private Repair repair(long id) {
    return repairs.findById(id).orElseThrow(() -> missing("repair"));
  }

  private static NotFoundException missing(String what) {
    return new NotFoundException("There is no such " + what);
  }
}
