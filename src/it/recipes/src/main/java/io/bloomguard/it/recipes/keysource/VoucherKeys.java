package io.bloomguard.it.recipes.keysource;

import io.bloomguard.generation.KeySource;
import java.util.List;
import org.springframework.stereotype.Component;

@Component
public class VoucherKeys implements KeySource {

  private final VoucherService service;

  public VoucherKeys(VoucherService service) {
    this.service = service;
  }

  @Override
  public void forEach(KeySink sink) {
    int page = 0;
    List<String> codes;
    do {
      codes = service.codes(page++);
      codes.forEach(sink::accept);
    } while (!codes.isEmpty());
  }
}
