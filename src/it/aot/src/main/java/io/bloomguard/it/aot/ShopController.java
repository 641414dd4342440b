package io.bloomguard.it.aot;

import java.util.Optional;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP. */
@RestController
class ShopController {

  private final Products products;
  private final Parts parts;
  private final Discounts discounts;
  private final Vouchers vouchers;

  ShopController(Products products, Parts parts, Discounts discounts, Vouchers vouchers) {
    this.products = products;
    this.parts = parts;
    this.discounts = discounts;
    this.vouchers = vouchers;
  }

  @GetMapping("/products/{id}")
  ResponseEntity<Product> product(@PathVariable long id) {
    return ResponseEntity.of(products.find(id));
  }

  @PostMapping("/products")
  void add(@RequestBody Product product) {
    products.add(product);
  }

  @GetMapping("/parts/{series}/{serial}")
  ResponseEntity<String> part(@PathVariable String series, @PathVariable int serial) {
    return ResponseEntity.of(
        Optional.ofNullable(parts.find(new PartNumber(series, serial)))
            .map(part -> part.name() + " for " + part.fits()));
  }

  @GetMapping("/discounts/{buyer}")
  ResponseEntity<Integer> discount(@PathVariable String buyer) {
    return ResponseEntity.of(Optional.ofNullable(discounts.of(new Order(new Order.Buyer(buyer)))));
  }

  @GetMapping("/vouchers/{code}")
  ResponseEntity<Voucher> voucher(@PathVariable String code) {
    return ResponseEntity.of(vouchers.findByCode(code));
  }

  @PostMapping("/vouchers")
  Voucher issue(@RequestBody Voucher voucher) {
    return vouchers.save(voucher);
  }
}
