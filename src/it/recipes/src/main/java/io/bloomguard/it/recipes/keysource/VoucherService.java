package io.bloomguard.it.recipes.keysource;

import java.util.List;

/** A remote service, which lists its codes page by page. */
public interface VoucherService {

  /** The codes of a page, counted from 0; none after the last. */
  List<String> codes(int page);

  /** The voucher with this code, or null. */
  Voucher find(String code);

  /** Issues a voucher. */
  void issue(Voucher voucher);
}
