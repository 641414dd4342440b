package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.ManyToOne;
import jakarta.validation.constraints.NotBlank;

/** A bike, known by its frame number, which is mended when it was mistyped. */
@Entity
@BloomKey(filter = "bikes")
public class Bike extends Numbered {

  @NotBlank
  @Column(unique = true)
  @BloomKey(filter = "frames")
  private String frameNumber;

  private String model;

  @ManyToOne(fetch = FetchType.LAZY)
  private Customer owner;

  public Bike() {}

  public Bike(String frameNumber, String model) {
    this.frameNumber = frameNumber;
    this.model = model;
  }

  public String getFrameNumber() {
    return frameNumber;
  }

  public void setFrameNumber(String frameNumber) {
    this.frameNumber = frameNumber;
  }

  public String getModel() {
    return model;
  }

  public void setModel(String model) {
    this.model = model;
  }

  public Customer getOwner() {
    return owner;
  }

  public void setOwner(Customer owner) {
    this.owner = owner;
  }
}
