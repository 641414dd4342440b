package io.bloomguard.console.internal;

import io.bloomguard.console.ConsolePanel;
import io.bloomguard.filter.FilterSize;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.ReplicatedStore.CopyWaits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The console's own calls. For everything that the endpoint {@code bloomfilters} offers, the page
 * calls that endpoint, so that its access rules hold for the page too.
 *
 * <p>Errors are RFC 9457 problems. Keys come in a JSON body only.
 */
@RestController
@RequestMapping(path = Console.PATH + "/data", produces = MediaType.APPLICATION_JSON_VALUE)
public final class ConsoleData {

  /** The path of the sizes, beside the panels. */
  static final String SIZING = "sizing";

  private static final String BLOCKED = Layout.BLOCKED.name().toLowerCase(Locale.ROOT);

  private final Console console;

  public ConsoleData(Console console) {
    this.console = console;
  }

  /** The contents of the console. */
  @GetMapping
  Contents contents() {
    return new Contents(console.endpoint(), console.names(), console.panels().keySet());
  }

  /** The recent outcomes of a filter's keys, and the prefixes of the denied ones. */
  @GetMapping("/{filter}/traffic")
  Traffic traffic(@PathVariable String filter) {
    WatchedFilter watched = require(filter);
    long now = console.now();
    OutcomeHistory history = watched.traffic().history();
    history.sample(now, watched.outcomes());
    PrefixSketch denied = watched.traffic().denied();
    return new Traffic(
        now,
        history.rates(),
        new Denied(PrefixSketch.LENGTH, denied.total(), denied.top()),
        Copies.of(watched.filter().store()));
  }

  /** The name under which denied keys with the same prefix as this one are counted. */
  @PostMapping(path = "/{filter}/prefix", consumes = MediaType.APPLICATION_JSON_VALUE)
  Named prefix(
      @PathVariable String filter,
      @RequestParam MultiValueMap<String, String> query,
      @RequestBody KeyOnly body) {
    if (!query.isEmpty()) {
      throw problem(HttpStatus.BAD_REQUEST, "Arguments come in the JSON body only");
    }
    WatchedFilter watched = require(filter);
    if (body.key() == null) {
      throw problem(HttpStatus.BAD_REQUEST, "'key' is missing");
    }
    try {
      watched.filter().settings().keyRules().require(CanonicalKey.of(body.key()));
    } catch (InvalidKeyException e) {
      throw problem(HttpStatus.BAD_REQUEST, e.getMessage());
    }
    return new Named(watched.traffic().denied().name(body.key()));
  }

  /** The rates of a filter in its present state as more keys are added. */
  @GetMapping("/{filter}/sizing")
  Live sizing(@PathVariable String filter) {
    var status = require(filter).filter().status();
    return new Live(status.estimatedElements(), OverloadCurve.of(FilterSize.of(status.shape())));
  }

  /** The cost of a filter for that many keys in each layout. */
  @GetMapping("/" + SIZING)
  List<Size> sizes(
      @RequestParam(required = false) @Nullable String insertions,
      @RequestParam(required = false) @Nullable String fpp) {
    try {
      long n = Sizing.wholeNumber(String.valueOf(insertions));
      double p = Double.parseDouble(String.valueOf(fpp));
      List<Size> sizes = new ArrayList<>();
      for (int words = Sizing.DEFAULT_BLOCK_WORDS; words > 0; words /= 2) {
        sizes.add(Size.of(FilterSize.blocked(n, p, words)));
      }
      for (FilterSize size : Sizing.sizes(n, p)) {
        // Blocks of each size are there already.
        if (!size.layout().equals(BLOCKED) && !size.layout().equals(FilterSize.REDIS)) {
          sizes.add(Size.of(size));
        }
      }
      return sizes;
    } catch (NumberFormatException e) {
      throw problem(
          HttpStatus.BAD_REQUEST,
          "'insertions' must be an integral number and 'fpp' a number between 0 and 1");
    } catch (IllegalArgumentException e) {
      throw problem(HttpStatus.BAD_REQUEST, e.getMessage());
    }
  }

  /** The data of a panel of the application. */
  @GetMapping("/{panel}")
  Object data(@PathVariable String panel) {
    return requirePanel(panel).data();
  }

  /** Runs an action of a panel of the application. */
  @PostMapping(path = "/{panel}", consumes = MediaType.APPLICATION_JSON_VALUE)
  Object act(@PathVariable String panel, @RequestBody Map<String, @Nullable Object> arguments) {
    return requirePanel(panel).act(arguments);
  }

  private ConsolePanel requirePanel(String name) {
    ConsolePanel panel = console.panels().get(name);
    if (panel == null) {
      throw problem(HttpStatus.NOT_FOUND, "There is no such panel");
    }
    return panel;
  }

  private WatchedFilter require(String name) {
    WatchedFilter watched = console.find(name);
    if (watched == null) {
      throw problem(HttpStatus.NOT_FOUND, "There is no such filter");
    }
    return watched;
  }

  private static ResponseStatusException problem(HttpStatus status, @Nullable String detail) {
    return new ResponseStatusException(status, detail);
  }

  /** Handled here, because the management port knows none of the application's own handlers. */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> refused(ResponseStatusException e) {
    return ResponseEntity.status(e.getStatusCode())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(e.getBody());
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> unreadable(HttpMessageNotReadableException e) {
    // A bound on bodies throws while a body is read.
    return refused(
        e.getRootCause() instanceof ResponseStatusException bound
            ? bound
            : problem(HttpStatus.BAD_REQUEST, "The body could not be read"));
  }

  /**
   * The data from which the page begins.
   *
   * @param endpoint the endpoint {@code bloomfilters}, relative to the page; null if HTTP does not
   *     reach it
   * @param filters the names
   * @param panels the names of the application's panels
   */
  record Contents(@Nullable String endpoint, Set<String> filters, Set<String> panels) {}

  /**
   * The recent traffic.
   *
   * @param now the server's time, in milliseconds since the epoch
   * @param copies null for a filter of which there can be none
   */
  record Traffic(long now, OutcomeHistory.Rates rates, Denied denied, @Nullable Copies copies) {}

  /**
   * The copies of a filter in all processes, and what writers of this one have waited for them.
   *
   * @param count the copies that this process saw last
   * @param waits how often its writers have waited
   * @param meanMillis the mean wait
   * @param expired the leases that had to run out
   */
  record Copies(int count, long waits, double meanMillis, long expired) {

    static @Nullable Copies of(FilterStore store) {
      if (!(store instanceof ReplicatedStore replicated)) {
        return null;
      }
      CopyWaits waits = replicated.copyWaits();
      double millis = waits.nanos() / 1e6;
      return new Copies(
          waits.copies(),
          waits.adds(),
          waits.adds() == 0 ? 0 : millis / waits.adds(),
          waits.ranOut());
    }
  }

  /**
   * The prefixes of denied keys.
   *
   * @param length the number of characters that are distinguished
   * @param total the number of keys that count; a key older than a minute counts half, and so on
   */
  record Denied(int length, long total, List<PrefixSketch.Prefix> prefixes) {}

  record KeyOnly(@Nullable String key) {}

  record Named(String name) {}

  /**
   * An existing filter.
   *
   * @param elements the keys in it, estimated
   */
  record Live(long elements, OverloadCurve curve) {}

  /** A possible filter. */
  record Size(String layout, OverloadCurve curve) {

    static Size of(FilterSize size) {
      return new Size(size.layout(), OverloadCurve.of(size));
    }
  }
}
