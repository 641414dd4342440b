package io.bloomguard.server;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The sizing call: what a filter would cost in each layout, and what it does when overloaded. */
@RestController
class SizingController {

  /**
   * The dimensions for n keys at p.
   *
   * @param insertions n, a whole number of at least 1, also as {@code 1e10}
   * @param fpp p, greater than 0 and less than 1
   * @param keyBytes the length of a key, for the memory of an exact set; left out without it
   */
  @GetMapping(path = "/v1/sizing", produces = MediaType.APPLICATION_JSON_VALUE)
  Sizes sizing(
      @RequestParam(required = false) @Nullable String insertions,
      @RequestParam(required = false) @Nullable String fpp,
      @RequestParam(required = false) @Nullable String keyBytes) {
    try {
      return Sizes.of(
          new SizingArgument("'insertions'", insertions).wholeNumber(),
          new SizingArgument("'fpp'", fpp).probability(),
          keyBytes == null ? null : new SizingArgument("'keyBytes'", keyBytes).wholeNumber());
    } catch (IllegalArgumentException e) {
      throw new ResponseStatusException(HttpStatus.BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }
}
