package io.bloomguard.it.workshop.model;

import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Version;

/** A row whose number is drawn from the sequence that all such rows share. */
@MappedSuperclass
public abstract class Numbered {

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "numbers")
  @SequenceGenerator(name = "numbers", sequenceName = "numbers", initialValue = 1000)
  private Long id;

  @Version private Integer version;

  public Long getId() {
    return id;
  }

  public Integer getVersion() {
    return version;
  }

  public void setVersion(Integer version) {
    this.version = version;
  }

  public boolean isNew() {
    return id == null;
  }
}
