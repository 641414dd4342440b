package io.bloomguard.jpa.internal;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PrePersist;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Entities of every kind of id and inheritance. */
final class Entities {

  private Entities() {}

  /** A superclass that gives its entities an id from a sequence. */
  @MappedSuperclass
  static class Numbered {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "numbers")
    @SequenceGenerator(name = "numbers", allocationSize = 500)
    Long id;
  }

  @Entity(name = "Owner")
  @BloomKey(filter = "owners")
  @BloomKey(filter = "owner-names", attribute = "name")
  static class Owner extends Numbered {

    String name;
    String city;

    @OneToMany(mappedBy = "owner", cascade = CascadeType.ALL, orphanRemoval = true)
    List<Pet> pets = new ArrayList<>();

    @ElementCollection Set<String> tags = new LinkedHashSet<>();

    @Version int version;

    Owner() {}

    Owner(String name) {
      this.name = name;
    }

    Pet pet(String petName) {
      Pet pet = new Pet();
      pet.owner = this;
      pet.name = petName;
      pets.add(pet);
      return pet;
    }
  }

  /** Its id is drawn by the insert. */
  @Entity(name = "Pet")
  @BloomKey(filter = "pets")
  static class Pet {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @BloomKey(filter = "pet-names")
    String name;

    @ManyToOne Owner owner;
  }

  /** Its id is assigned; its key is another attribute, named on the getter. */
  @Entity(name = "Product")
  static class Product {
    private UUID id;
    private String sku;

    Product() {}

    Product(String sku) {
      this.id = UUID.randomUUID();
      this.sku = sku;
    }

    @Id
    UUID getId() {
      return id;
    }

    void setId(UUID id) {
      this.id = id;
    }

    @BloomKey(filter = "skus")
    @Column(name = "stock_unit")
    String getSku() {
      return sku;
    }

    void setSku(String sku) {
      this.sku = sku;
    }
  }

  @Embeddable
  record LineId(long receipt, int line) implements Serializable {}

  /** One part of its embedded id is a key. */
  @Entity(name = "Line")
  @BloomKey(filter = "receipts", attribute = "id.receipt")
  @BloomKey(filter = "lines")
  static class Line {
    @EmbeddedId LineId id;
    String text;
  }

  record SeatId(String row, int number) implements Serializable {}

  /** One of its two ids is a key. */
  @Entity(name = "Seat")
  @IdClass(SeatId.class)
  @BloomKey(filter = "seats", attribute = "row, number")
  static class Seat {
    @BloomKey(filter = "rows")
    @Id
    @Column(name = "row_")
    String row;

    @Id int number;
    boolean taken;
  }

  @Entity(name = "Vehicle")
  @Inheritance(strategy = InheritanceType.JOINED)
  @BloomKey(filter = "vehicles")
  static class Vehicle extends Numbered {
    String plate;
  }

  @Entity(name = "Truck")
  static class Truck extends Vehicle {
    int axles;
  }

  @Entity(name = "Payment")
  @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
  @BloomKey(filter = "payments")
  static class Payment extends Numbered {
    long amount;
  }

  @Entity(name = "CardPayment")
  static class CardPayment extends Payment {
    @BloomKey(filter = "cards")
    String card;
  }

  /** Its key is changed by its callbacks, right before it is written. */
  @Entity(name = "Coupon")
  static class Coupon extends Numbered {
    @BloomKey(filter = "coupons")
    String code;

    String text;

    Coupon() {}

    Coupon(String code) {
      this.code = code;
    }

    @PrePersist
    void issue() {
      code = "issued-" + code;
    }

    @PreUpdate
    void revise() {
      code = "revised-" + code;
    }
  }

  /** Its ids are keys of the same filter as those of {@link Venue}. */
  @Entity(name = "Concert")
  @BloomKey(filter = "places")
  static class Concert {
    @Id Long id = 0L;
  }

  /** Its ids and its names are keys of filters that others write as well. */
  @Entity(name = "Venue")
  @BloomKey(filter = "places")
  @BloomKey(filter = "halls")
  @BloomKey(filter = "halls", attribute = "name")
  static class Venue {
    @Id Long id = 0L;
    String name;
  }

  /** Of no interest to any filter. */
  @Entity(name = "Note")
  static class Note extends Numbered {
    String text;
  }
}
