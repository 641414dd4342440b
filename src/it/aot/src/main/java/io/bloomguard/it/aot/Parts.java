package io.bloomguard.it.aot;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.generation.KeySource;
import java.util.List;
import org.springframework.stereotype.Service;

/** A filter and values in Redis, keys from a bean, composed of the components of a record. */
@Service
public class Parts implements KeySource {

  private static final int SERIALS = 100;

  @BloomGuarded(filter = "parts", key = "#number.series + '-' + #number.serial")
  public Part find(PartNumber number) {
    return number.series().equals("A") && number.serial() < SERIALS
        ? new Part("hinge", List.of("door", "window"))
        : null;
  }

  @Override
  public void forEach(KeySink sink) {
    for (int serial = 0; serial < SERIALS; serial++) {
      sink.accept("A-" + serial);
    }
  }
}
