package io.bloomguard.it.aot;

/** A bean, along whose properties a key leads. */
public class Order {

  private final Buyer buyer;

  public Order(Buyer buyer) {
    this.buyer = buyer;
  }

  public Buyer getBuyer() {
    return buyer;
  }

  /** The end of the path. */
  public static class Buyer {

    private final String code;

    public Buyer(String code) {
      this.code = code;
    }

    public String getCode() {
      return code;
    }
  }
}
