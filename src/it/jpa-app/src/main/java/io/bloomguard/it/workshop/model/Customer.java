package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import java.util.ArrayList;
import java.util.List;

/** The owner of bikes. */
@Entity
@BloomKey(filter = "customers")
@BloomKey(filter = "customer-emails", attribute = "email")
public class Customer extends Person {

  @NotBlank private String city;

  @Pattern(regexp = "\\d{3,12}")
  private String phone;

  @OneToMany(mappedBy = "owner", cascade = CascadeType.ALL, orphanRemoval = true)
  @OrderBy("frameNumber")
  private List<Bike> bikes = new ArrayList<>();

  public Customer() {}

  public Customer(String name, String email, String city) {
    super(name, email);
    this.city = city;
  }

  public String getCity() {
    return city;
  }

  public void setCity(String city) {
    this.city = city;
  }

  public String getPhone() {
    return phone;
  }

  public void setPhone(String phone) {
    this.phone = phone;
  }

  public List<Bike> getBikes() {
    return bikes;
  }

  public Bike bring(Bike bike) {
    bike.setOwner(this);
    bikes.add(bike);
    return bike;
  }

  public void takeAway(Bike bike) {
    bikes.remove(bike);
  }
}
