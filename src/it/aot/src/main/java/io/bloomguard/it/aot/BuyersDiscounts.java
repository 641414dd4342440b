package io.bloomguard.it.aot;

import io.bloomguard.annotation.BloomGuarded;
import org.springframework.stereotype.Component;

/** A filter on the heap, asked along a path of properties. */
@Component
class BuyersDiscounts implements Discounts {

  @Override
  @BloomGuarded(filter = "buyers", key = "#order.buyer.code")
  public Integer of(Order order) {
    return order.getBuyer().getCode().length();
  }
}
