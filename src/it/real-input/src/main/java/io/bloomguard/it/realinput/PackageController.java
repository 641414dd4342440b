package io.bloomguard.it.realinput;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Packages over HTTP. */
@RestController
class PackageController {

  private final Packages packages;

  PackageController(Packages packages) {
    this.packages = packages;
  }

  @GetMapping("/packages/{name}")
  ResponseEntity<PackageEntry> get(@PathVariable String name) {
    return ResponseEntity.of(packages.find(name));
  }
}
