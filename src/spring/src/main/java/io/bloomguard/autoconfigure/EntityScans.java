package io.bloomguard.autoconfigure;

import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.persistence.autoconfigure.EntityScanPackages;

/** The packages of {@code @EntityScan}. Of its own, for the annotation's module may be absent. */
final class EntityScans {

  private EntityScans() {}

  static List<String> packages(BeanFactory beans) {
    return EntityScanPackages.get(beans).getPackageNames();
  }
}
