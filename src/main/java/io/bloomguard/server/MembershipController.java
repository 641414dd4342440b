package io.bloomguard.server;

import io.bloomguard.actuate.OperatedFilters;
import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyRules;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Entry;
import io.bloomguard.guard.ValueType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The membership API, for any language: asks filters and adds keys to them, in batches. */
@RestController
@RequestMapping(
    path = "/v1/filters/{name}",
    consumes = MediaType.APPLICATION_JSON_VALUE,
    produces = MediaType.APPLICATION_JSON_VALUE)
class MembershipController {

  private static final ValueType<Object> UNTYPED = ValueType.of(Object.class);

  private final BloomGuards guards;
  private final ObjectProvider<OperatedFilters> filters;

  MembershipController(BloomGuards guards, ObjectProvider<OperatedFilters> filters) {
    this.guards = guards;
    this.filters = filters;
  }

  /** What the filter says of each key, in their order. */
  @PostMapping("/check")
  byte[] check(@PathVariable String name, HttpServletRequest request) throws IOException {
    BloomGuard<Object> guard = guard(name);
    return Results.json(call(guard, KeyBatch.read(request), guard::checkAll));
  }

  /** Adds all keys or, where one is invalid, none. */
  @PostMapping("/keys")
  Added add(@PathVariable String name, HttpServletRequest request) throws IOException {
    BloomGuard<Object> guard = guard(name);
    return new Added(call(guard, KeyBatch.read(request), guard::putAll));
  }

  /** A key must not seem to be added where there is no filter. */
  private BloomGuard<Object> guard(String name) {
    if (filters.getIfAvailable() == null) {
      throw new ResponseStatusException(
          HttpStatus.SERVICE_UNAVAILABLE, "There are no filters: bloomguard.enabled is false");
    }
    return guards.guard(name, name, UNTYPED, Entry.API);
  }

  /** The guard refuses a batch as a whole; the caller wants to know for which of its keys. */
  private <T> T call(
      BloomGuard<Object> guard, List<Object> keys, Function<List<Object>, T> action) {
    try {
      return action.apply(keys);
    } catch (InvalidKeyException e) {
      filters
          .getObject()
          .find(guard.filter())
          .ifPresent(filter -> requireValid(keys, filter.filter().settings().keyRules()));
      throw e;
    }
  }

  private static void requireValid(List<Object> keys, KeyRules rules) {
    for (int i = 0; i < keys.size(); i++) {
      try {
        rules.require(CanonicalKey.of(keys.get(i)));
      } catch (InvalidKeyException e) {
        throw new ResponseStatusException(
            HttpStatus.BAD_REQUEST, "The key at index " + i + ": " + e.getMessage(), e);
      }
    }
  }

  record Added(int added) {}
}
