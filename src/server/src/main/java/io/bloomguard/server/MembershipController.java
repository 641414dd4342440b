package io.bloomguard.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.bloomguard.actuate.internal.AuditLog;
import io.bloomguard.actuate.internal.Caller;
import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.UnknownFilterException;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Reject;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The membership API, for any language: asks filters, adds keys to them, removes keys from those
 * that can, and takes reports of keys that they wrongly denied, in batches.
 */
@RestController
@RequestMapping(
    path = "/v1/filters/{name}",
    consumes = MediaType.APPLICATION_JSON_VALUE,
    produces = MediaType.APPLICATION_JSON_VALUE)
class MembershipController {

  /** The query string of an add that reports for each key whether it was new. */
  private static final String DETAIL = "detail=true";

  /** The header of an add that may be repeated. */
  static final String CLAIM = "Idempotency-Key";

  private static final int LONGEST_CLAIM = 255;

  private static final ValueType<Object> UNTYPED = ValueType.of(Object.class);

  /** For filters that were wired by hand. */
  private static final KeyRules WIDEST = new KeyRules(65_536);

  private final EntryGuards guards;
  private final ObjectProvider<OperatedFilters> filters;
  private final BatchMemory memory;
  private final Duration patience;
  private final Duration checkTimeout;
  private final boolean removals;

  /**
   * @param environment has the bound on batches; its filters may have been wired by hand
   */
  @Autowired
  MembershipController(
      EntryGuards guards, ObjectProvider<OperatedFilters> filters, Environment environment) {
    this(guards, filters, environment, KeyBatch.PATIENCE);
  }

  /**
   * @param patience how long a body may take to arrive
   */
  MembershipController(
      EntryGuards guards,
      ObjectProvider<OperatedFilters> filters,
      Environment environment,
      Duration patience) {
    this.guards = guards;
    this.filters = filters;
    BloomguardProperties.Server server =
        Binder.get(environment)
            .bindOrCreate("bloomguard.server", BloomguardProperties.Server.class);
    this.memory = new BatchMemory(server.batchMemory().toBytes());
    this.patience = patience;
    this.checkTimeout = server.checkTimeout();
    this.removals = server.removals() || environment.matchesProfiles(SecuredConfiguration.PROFILE);
  }

  /**
   * The answers of the filter for the keys, in their order; of a subject's filter, if there is one
   * for each.
   */
  @PostMapping({"/check", "/{subject}/check"})
  byte[] check(
      @PathVariable String name,
      @PathVariable(required = false) @Nullable String subject,
      HttpServletRequest request)
      throws IOException {
    return call(
        name,
        subject,
        request,
        "",
        (guard, keys) -> Results.json(guard.checkAll(keys, checkTimeout)));
  }

  /**
   * Adds all keys or, where one is invalid, none. A repeat under the same claim gets the answer of
   * the first call.
   */
  @PostMapping({"/keys", "/{subject}/keys"})
  Added add(
      @PathVariable String name,
      @PathVariable(required = false) @Nullable String subject,
      HttpServletRequest request)
      throws IOException {
    boolean detailed = request.getQueryString() != null && !request.getQueryString().isEmpty();
    String claim = claim(request);
    return call(
        name,
        subject,
        request,
        DETAIL,
        (guard, keys) -> {
          if (claim == null && !detailed) {
            return new Added(guard.putAll(keys), null);
          }
          Added added = Added.of(claim == null ? guard.putEach(keys) : guard.putEach(keys, claim));
          return detailed ? added : new Added(added.added(), null);
        });
  }

  /** The claim of a call, which names no key; null for none. */
  private static @Nullable String claim(HttpServletRequest request) {
    List<String> claims = Collections.list(request.getHeaders(CLAIM));
    if (claims.isEmpty()) {
      return null;
    }
    String claim = claims.get(0).strip();
    boolean visible = claim.chars().allMatch(each -> each > ' ' && each < 0x7f);
    if (claims.size() > 1 || claim.isEmpty() || claim.length() > LONGEST_CLAIM || !visible) {
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST,
          "'"
              + CLAIM
              + "' must come once, with 1 to "
              + LONGEST_CLAIM
              + " visible characters of ASCII and no space");
    }
    return claim;
  }

  /** Takes one addition of each key back. */
  @DeleteMapping("/keys")
  Removed remove(@PathVariable String name, HttpServletRequest request) throws IOException {
    require(name);
    requireRemovable(name);
    return call(
        name,
        null,
        request,
        "",
        (guard, keys) ->
            AuditLog.write(
                Caller.of(request.getUserPrincipal()),
                "removal of " + keys.size() + " keys",
                name,
                () -> new Removed(guard.removeAll(keys)),
                answer -> answer.removed() + " removed"));
  }

  private void requireRemovable(String name) {
    ManagedFilter filter = filters.getObject().find(name).map(OperatedFilter::filter).orElse(null);
    String refusal = null;
    if (filter == null || !filter.store().removes()) {
      refusal = "The filter's layout is not 'counting', so no key can be removed from it";
    } else if (!filter.knowsItsKeys()) {
      refusal =
          "The filter has no source, nor says source.added-only: true, so nothing is removed from"
              + " it";
    } else if (!removals) {
      refusal =
          "Without the profile '"
              + SecuredConfiguration.PROFILE
              + "' this server removes no keys: start it with spring.profiles.active="
              + SecuredConfiguration.PROFILE
              + ", or set bloomguard.server.removals=true";
    }
    if (refusal != null) {
      throw new ResponseStatusException(HttpStatus.CONFLICT, refusal);
    }
  }

  /** Takes the caller's word that the keys exist although the filter denied them. */
  @PostMapping("/found")
  Found found(@PathVariable String name, HttpServletRequest request) throws IOException {
    requireNoBlacklist(name);
    return call(
        name,
        null,
        request,
        "",
        (guard, keys) ->
            AuditLog.write(
                Caller.of(request.getUserPrincipal()),
                "report of " + keys.size() + " found keys",
                name,
                () -> new Found(guard.reportFound(keys)),
                answer -> answer.wrong() + " wrongly rejected"));
  }

  private void requireNoBlacklist(String name) {
    if (guards.filters().contains(name) && guards.rejects(name) == Reject.PRESENT) {
      throw new ResponseStatusException(
          HttpStatus.CONFLICT,
          "Filter '"
              + name
              + "' is a blacklist: that a key is found somewhere says nothing of whether it is"
              + " listed");
    }
  }

  /** A key must not seem to be added where there is no filter. */
  private void require(String name) {
    if (filters.getIfAvailable() == null) {
      throw new ResponseStatusException(
          HttpStatus.SERVICE_UNAVAILABLE, "There are no filters: bloomguard.enabled is false");
    }
    if (!guards.filters().contains(name)) {
      throw new UnknownFilterException(name, guards.filters());
    }
  }

  /**
   * @param inPath the subject of the path, null for none
   * @param inBody that of the body
   */
  private EntryGuard<Object> guard(String name, @Nullable String inPath, @Nullable String inBody) {
    if (inPath != null && inBody != null) {
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST, "The subject stands in the path and in the body: leave one out");
    }
    String subject = inPath == null ? inBody : inPath;
    return subject == null
        ? guards.guard(name, name, UNTYPED, EntryPoint.API)
        : guards.guard(name, subject, EntryPoint.API);
  }

  /** The guard refuses a batch as a whole; the caller wants to know for which of its keys. */
  private <T> T call(
      String name,
      @Nullable String subject,
      HttpServletRequest request,
      String allowed,
      BiFunction<EntryGuard<Object>, List<Object>, T> action)
      throws IOException {
    require(name);
    requireWhole(subject, request);
    KeyRules rules = rules(name);
    try (BatchMemory.Share share = memory.open()) {
      KeyBatch batch = KeyBatch.read(request, allowed, rules.maxLength(), share, patience);
      List<Object> keys = batch.keys();
      EntryGuard<Object> guard = guard(name, subject, batch.subject());
      try {
        return action.apply(guard, keys);
      } catch (InvalidKeyException e) {
        requireValid(keys, rules);
        throw e;
      }
    }
  }

  /** The text after a semicolon is a parameter of the path: it would be cut off the subject. */
  private static void requireWhole(@Nullable String inPath, HttpServletRequest request) {
    if (inPath != null && request.getRequestURI().indexOf(';') >= 0) {
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST, "The path has a semicolon, which no subject may have");
    }
  }

  private KeyRules rules(String filter) {
    return filters
        .getObject()
        .find(filter)
        .map(operated -> operated.filter().settings().keyRules())
        .orElse(WIDEST);
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

  /**
   * The answer to an add.
   *
   * @param added how many keys were new
   * @param isNew for each key, in the order asked, whether it was; null where that was not asked
   */
  record Added(
      int added,
      @JsonProperty("new") @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable List<Boolean> isNew) {

    static Added of(List<Boolean> isNew) {
      return new Added(Collections.frequency(isNew, true), isNew);
    }
  }

  record Removed(int removed) {}

  /**
   * The answer to a report.
   *
   * @param wrong how many of the keys were wrongly rejected
   */
  record Found(int wrong) {}
}
