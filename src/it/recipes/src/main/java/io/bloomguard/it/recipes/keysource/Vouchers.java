package io.bloomguard.it.recipes.keysource;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import org.springframework.stereotype.Service;

@Service
public class Vouchers {

  private final VoucherService service;

  public Vouchers(VoucherService service) {
    this.service = service;
  }

  @BloomGuarded(filter = "vouchers", key = "#code")
  public Voucher find(String code) {
    return service.find(code);
  }

  @BloomPut(filter = "vouchers", key = "#voucher.code")
  public void issue(Voucher voucher) {
    service.issue(voucher);
  }
}
