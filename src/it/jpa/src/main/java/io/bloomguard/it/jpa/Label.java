package io.bloomguard.it.jpa;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

/** A row that is found by its text, too. */
@Entity
@BloomKey(filter = "labels")
public class Label {

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE)
  private Long id;

  @BloomKey(filter = "label-texts")
  private String text;

  protected Label() {}

  public Label(String text) {
    this.text = text;
  }

  public Long getId() {
    return id;
  }

  public String getText() {
    return text;
  }

  public void setText(String text) {
    this.text = text;
  }
}
